"""Whether the programs of two builds make the same sets, whatever compilers and processors they are for.

    tests/compilers.py BUILD OTHER

Of the shipped profiles, and of what pyelfprof captures of BUILD's own programs: rows are where most is searched for.
"""

import filecmp
import pathlib
import subprocess
import sys
import tempfile

SHIPPED = "small", "c", "c++"
CAPTURED = "pyelfgen", "pyelfrun", "pyelfstat"


def files(directory):
    return sorted(path.relative_to(directory) for path in directory.rglob("*") if path.is_file())


def main():
    builds = [pathlib.Path(build).resolve() for build in sys.argv[1:3]]
    different = []
    with tempfile.TemporaryDirectory() as place:
        profiles = list(SHIPPED)
        for program in CAPTURED:
            path = pathlib.Path(place) / f"{program}.prof"
            subprocess.run([builds[0] / "bin" / "pyelfprof", "-q", "-o", path, builds[0] / "bin" / program], check=True)
            profiles.append(path)
        for number, profile in enumerate(profiles):
            sets = [pathlib.Path(place) / f"{number}-{which}" for which in range(2)]
            for build, directory in zip(builds, sets):
                subprocess.run([build / "bin" / "pyelfgen", "-q", "-P", profile, "-o", directory], check=True)
            names = files(sets[0])
            same = names == files(sets[1]) and not any(filecmp.cmpfiles(*sets, names, shallow=False)[1:])
            print(f"{pathlib.Path(profile).stem}: {len(names)} files, {'the same' if same else 'DIFFERENT'}")
            different += [] if same else [profile]
    return 1 if different or not profiles else 0


if __name__ == "__main__":
    sys.exit(main())
