#!/usr/bin/python3
"""Compares the shape of a set's debug information with that of real libraries, and judges whether it is near enough.

Counts are those of `pyelfstat --dwarf`. What zstd makes of files and sections is measured here. The targets:

  c    CPython 3.11's lib-dynload, gcc 12 -O3, 76 files; ratios of zstd from its libpython3.11.so
  c++  libipopt.so.1.9.9 of Debian 12 (coinor-libipopt1v5, -dbg), gcc 12 -O2

With --like the targets are measured from other libraries instead.

Pynamic's names end in a long row of digits. They compress 90 to 1, and no real library has such names. With
--without-digits they are taken out of the tables of strings before files and sections are compressed.

  tests/shape.py SET                       C
  tests/shape.py --language c++ --misses SET
  tests/shape.py --like LIBRARY LIBRARY
  tests/shape.py --no-counts --without-digits SET
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = SOURCE / os.environ.get("PYELFGEN_BUILD", "build")
SHF_COMPRESSED, SHT_NOBITS = 0x800, 8
MARKERS = {"libmodulebegin.so", "libmodulefinal.so"}
STRINGS = {".dynstr", ".strtab", ".debug_str"}
DIGITS_NAME = re.compile(rb"[^\0]*[0-9]{20}\0")

# The differences from the target that count as near.
NEAR = 25  # % of the target
NEAR_SHARE = 3  # percentage points of debug bytes
NEAR_ZSTD = 30  # % of the target
WHOLE_ZSTD = (2, 3.5)  # ratios of whole files, whatever the target has
LEAST_SHARE = {"c": 0.035, "c++": 0.09}  # %: tags and forms that are rarer on both sides are not compared

# What --print shows for the references. lib-dynload has 1.5 units per library because its libraries are small.
TARGETS = {
    "c": {
        "for information": {
            "units per library": 1.461,
            "bytes of debug information per byte of .text": 6.074,
            "bytes of .text per defined function": 374.6,
            "units per MB of .text": 75.8,
            "ranges per range list": 2.91,
            "bytes per range": 6.298,
            "abbreviations used per unit": 90.38,
        },
        "sections, %": {
            ".debug_info": 45.52,
            ".debug_loclists": 24.24,
            ".debug_line": 16.62,
            ".debug_str": 8.099,
            ".debug_rnglists": 2.978,
            ".debug_abbrev": 1.75,
            ".debug_line_str and _aranges": 0.7942,
        },
        "numbers": {
            "DIEs per unit": 2705,
            "defined functions per unit": 35.22,
            "DIEs per defined function": 76.8,
            "attributes per DIE": 4.101,
            "bytes of .debug_info per DIE": 13.48,
            "inlined_subroutine per defined function": 5.856,
            "line rows per kB of .text": 251.3,
            "line rows per defined function": 94.12,
            "bytes per line row": 4.019,
            "list entries per variable with a list": 3.142,
            "bytes per list entry": 11.92,
            "names per DIE": 0.3553,
            "mean length of a name": 9.459,
            "linkage names per DIE": 0.0003131,
            "mean length of a linkage name": 6.479,
        },
        "variables and parameters, %": {
            "list": 57.28,
            "none": 35.27,
            "expression": 7.093,
            "constant": 0.3593,
        },
        "tags, %": {
            "formal_parameter": 22.81,
            "member": 14.91,
            "call_site_parameter": 13.18,
            "variable": 10.75,
            "call_site": 9.889,
            "inlined_subroutine": 7.625,
            "subprogram": 4.183,
            "lexical_block": 2.944,
            "structure_type": 2.838,
            "typedef": 2.684,
            "pointer_type": 2.398,
            "subrange_type": 0.9643,
            "array_type": 0.962,
            "subroutine_type": 0.9293,
            "enumerator": 0.9187,
            "const_type": 0.6648,
            "base_type": 0.5003,
            "label": 0.4667,
            "enumeration_type": 0.09393,
            "unspecified_parameters": 0.0926,
            "atomic_type": 0.06928,
            "restrict_type": 0.04663,
            "union_type": 0.03764,
            "compile_unit": 0.03697,
        },
        "forms, %": {
            "data1": 28.89,
            "ref4": 23.9,
            "sec_offset": 10.93,
            "strp": 7.695,
            "data2": 7.613,
            "exprloc": 7.307,
            "addr": 5.562,
            "implicit_const": 3.198,
            "flag_present": 2.629,
            "data8": 1.247,
            "string": 0.9758,
            "data4": 0.03289,
        },
        "attributes, %": {
            "type": 10.56,
            "decl_line": 8.802,
            "decl_file": 8.801,
            "decl_column": 8.793,
            "name": 8.663,
            "location": 8.45,
            "abstract_origin": 6.287,
            "sibling": 4.703,
            "GNU_locviews": 4.687,
            "data_member_location": 3.584,
            "call_value": 3.213,
            "call_return_pc": 2.411,
            "call_origin": 2.314,
            "call_column": 1.859,
            "call_file": 1.859,
            "call_line": 1.859,
            "entry_pc": 1.817,
            "GNU_entry_view": 1.817,
            "ranges": 1.544,
            "byte_size": 1.403,
            "low_pc": 1.334,
            "high_pc": 1.247,
            "prototyped": 1.18,
            "external": 0.5181,
            "declaration": 0.4934,
            "frame_base": 0.3175,
            "call_all_calls": 0.3063,
            "inline": 0.2939,
            "const_value": 0.2534,
            "upper_bound": 0.2314,
            "encoding": 0.1449,
            "call_tail_call": 0.1135,
            "call_parameter": 0.03192,
        },
        "zstd -3, ratio": {
            "whole": 2.623,
            ".debug_aranges": 4.723,
            ".debug_info": 2.39,
            ".debug_abbrev": 4.112,
            ".debug_line": 2.845,
            ".debug_str": 4.103,
            ".debug_line_str": 3.118,
            ".debug_loclists": 2.33,
            ".debug_rnglists": 1.743,
        },
    },
    "c++": {
        "for information": {
            "units per library": 109,
            "bytes of debug information per byte of .text": 24.59,
            "bytes of .text per defined function": 397.9,
            "units per MB of .text": 74.67,
            "ranges per range list": 2.639,
            "bytes per range": 7.373,
            "abbreviations used per unit": 217.7,
        },
        "sections, %": {
            ".debug_info": 63.79,
            ".debug_loclists": 18.75,
            ".debug_line": 9.218,
            ".debug_str": 3.802,
            ".debug_rnglists": 3.13,
            ".debug_abbrev": 1.181,
            ".debug_line_str and _aranges": 0.1278,
        },
        "numbers": {
            "DIEs per unit": 15060,
            "defined functions per unit": 33.66,
            "DIEs per defined function": 447.3,
            "attributes per DIE": 4.119,
            "bytes of .debug_info per DIE": 13.95,
            "inlined_subroutine per defined function": 60.79,
            "line rows per kB of .text": 439.6,
            "line rows per defined function": 174.9,
            "bytes per line row": 5.156,
            "list entries per variable with a list": 1.487,
            "bytes per list entry": 15.23,
            "names per DIE": 0.234,
            "mean length of a name": 13.59,
            "linkage names per DIE": 0.1158,
            "mean length of a linkage name": 68.53,
        },
        "variables and parameters, %": {
            "none": 63.25,
            "list": 36.06,
            "expression": 0.5556,
            "constant": 0.1371,
        },
        "tags, %": {
            "formal_parameter": 48.94,
            "subprogram": 14.15,
            "inlined_subroutine": 13.59,
            "call_site_parameter": 3.642,
            "typedef": 2.557,
            "call_site": 2.502,
            "template_type_parameter": 1.783,
            "const_type": 1.647,
            "imported_declaration": 1.563,
            "reference_type": 1.524,
            "variable": 1.457,
            "pointer_type": 1.354,
            "member": 1.209,
            "lexical_block": 0.9698,
            "class_type": 0.6801,
            "structure_type": 0.6254,
            "enumerator": 0.4209,
            "inheritance": 0.4067,
            "rvalue_reference_type": 0.2822,
            "base_type": 0.1426,
            "namespace": 0.09328,
            "template_value_parameter": 0.0725,
            "GNU_template_parameter_pack": 0.06617,
            "dwarf_procedure": 0.05825,
            "enumeration_type": 0.05672,
            "unspecified_parameters": 0.04515,
            "array_type": 0.03881,
            "subrange_type": 0.03881,
            "GNU_formal_parameter_pack": 0.029,
            "subroutine_type": 0.02528,
        },
        "forms, %": {
            "ref4": 29.93,
            "data1": 22.3,
            "sec_offset": 10.08,
            "flag_present": 8.653,
            "data2": 8.081,
            "strp": 7.955,
            "addr": 6.155,
            "data8": 2.3,
            "implicit_const": 2.068,
            "exprloc": 1.937,
            "string": 0.5373,
        },
        "attributes, %": {
            "type": 11.02,
            "abstract_origin": 9.173,
            "name": 5.682,
            "sibling": 5.468,
            "location": 5.316,
            "decl_file": 4.982,
            "decl_line": 4.982,
            "decl_column": 4.975,
            "GNU_locviews": 4.412,
            "call_column": 3.299,
            "call_file": 3.299,
            "call_line": 3.299,
            "entry_pc": 3.247,
            "GNU_entry_view": 3.246,
            "declaration": 2.898,
            "external": 2.827,
            "linkage_name": 2.811,
            "artificial": 2.774,
            "object_pointer": 2.724,
            "low_pc": 2.301,
            "high_pc": 2.299,
            "accessibility": 2.11,
            "ranges": 1.253,
            "byte_size": 1.065,
            "call_value": 0.8829,
            "call_return_pc": 0.6075,
            "call_origin": 0.5103,
            "specification": 0.4619,
            "inline": 0.4239,
            "data_member_location": 0.3859,
            "import": 0.3811,
            "const_value": 0.1366,
            "containing_type": 0.1246,
            "virtuality": 0.1052,
            "vtable_elem_location": 0.08387,
            "defaulted": 0.07327,
            "call_parameter": 0.06232,
            "frame_base": 0.05427,
            "encoding": 0.04839,
            "explicit": 0.04334,
            "call_all_calls": 0.03513,
            "call_tail_call": 0.02035,
        },
        "zstd -3, ratio": {
            "whole": 3.074,
            ".debug_aranges": 5.418,
            ".debug_info": 2.522,
            ".debug_abbrev": 4.327,
            ".debug_line": 5.466,
            ".debug_str": 7.264,
            ".debug_line_str": 3.17,
            ".debug_loclists": 4.717,
            ".debug_rnglists": 3.682,
        },
    },
}


def command(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, **options).stdout


def libraries(paths):
    """The files as they are given, and the libraries of sets without the markers, which no size counts."""
    for path in map(pathlib.Path, paths):
        if path.is_dir():
            yield from sorted(p for p in path.glob("*.so") if p.name not in MARKERS)
        else:
            yield path


def percent(counts):
    """{name: share in %}, the largest first."""
    total = sum(counts.values()) or 1
    return {name: 100 * n / total for name, n in sorted(counts.items(), key=lambda item: -item[1])}


def count(paths):
    """The counts of `pyelfstat --dwarf` as ratios and shares: {group: {name: value}}."""
    told = json.loads(command(BUILD / "bin" / "pyelfstat", "--dwarf", "--json", *paths))
    if told["errors"]:
        sys.exit(f"pyelfstat: {told['errors']}")
    counts, ratios, sections = (told["dwarf"][key] for key in ("counts", "ratios", "sections"))
    units = sum(counts[f"{kind}_units"] for kind in ("compile", "partial", "type", "skeleton"))
    if not units:
        sys.exit("no debug information")
    debug = {name: size["bytes"] for name, size in sections.items() if name.startswith(".debug_")}
    small = ".debug_line_str", ".debug_aranges"
    shares = {name: n for name, n in debug.items() if name not in small}
    shares[".debug_line_str and _aranges"] = sum(debug.get(name, 0) for name in small)
    places = {
        place: counts[f"variables_{place}"] + counts[f"parameters_{place}"]
        for place in ("list", "expression", "constant", "none")
    }
    text = counts["text_bytes"] / 1e6
    return {
        "for information": {
            "units per library": ratios["units_per_file"],
            "bytes of debug information per byte of .text": sum(debug.values()) / counts["text_bytes"],
            "bytes of .text per defined function": counts["text_bytes"] / counts["functions"],
            "units per MB of .text": units / text,
            "ranges per range list": ratios["ranges_per_list"],
            "bytes per range": ratios["bytes_per_range"],
            "abbreviations used per unit": ratios["abbreviations_per_unit"],
        },
        "sections, %": percent(shares),
        "numbers": {
            "DIEs per unit": ratios["dies_per_unit"],
            "defined functions per unit": ratios["functions_per_unit"],
            "DIEs per defined function": ratios["dies_per_function"],
            "attributes per DIE": ratios["attributes_per_die"],
            "bytes of .debug_info per DIE": ratios["info_bytes_per_die"],
            "inlined_subroutine per defined function": ratios["inlined_per_function"],
            "line rows per kB of .text": ratios["line_rows_per_text_kb"],
            "line rows per defined function": ratios["line_rows_per_function"],
            "bytes per line row": ratios["bytes_per_line_row"],
            "list entries per variable with a list": ratios["entries_per_list"],
            "bytes per list entry": ratios["bytes_per_list_entry"],
            "names per DIE": ratios["names_per_die"],
            "mean length of a name": ratios["name_length"],
            "linkage names per DIE": ratios["linkage_names_per_die"],
            "mean length of a linkage name": ratios["linkage_name_length"],
        },
        "variables and parameters, %": percent(places),
        "tags, %": percent(told["dwarf"]["tags"]),
        "forms, %": percent(told["dwarf"]["forms"]),
        "attributes, %": percent(told["dwarf"]["attributes"]),
    }


def sections(image):
    """(name, offset, contents) of the debug sections and tables of strings in the bytes of an x86-64 ELF file."""
    (start,) = struct.unpack_from("<Q", image, 40)
    number, names = struct.unpack_from("<HH", image, 60)
    headers = [struct.unpack_from("<IIQQQQ", image, start + 64 * i) for i in range(number)]
    for name, kind, flags, _, offset, size in headers:
        at = headers[names][4] + name
        text = image[at : image.index(0, at)].decode()
        if (text.startswith(".debug_") or text in STRINGS) and kind != SHT_NOBITS:
            if flags & SHF_COMPRESSED:
                sys.exit("compressed debug sections: take a set made without compression")
            yield text, offset, image[offset : offset + size]


def without_digits(image):
    """The file's bytes and {section: contents}, both without the names that end in a row of digits."""
    rest, at, parts = [], 0, {}
    for name, offset, data in sorted(sections(image), key=lambda part: part[1]):
        parts[name] = DIGITS_NAME.sub(b"", data) if name in STRINGS else data
        rest += [image[at:offset], parts[name]]
        at = offset + len(data)
    return b"".join([*rest, image[at:]]), parts


def zstd(data):
    return len(command("zstd", "-3", "-q", "-c", input=data))


def compress(path, with_digits):
    """{name: (bytes, compressed bytes)} of the whole file and of each debug section, compressed one by one."""
    image = path.read_bytes()
    parts = {name: data for name, _, data in sections(image)}
    if not with_digits:
        image, parts = without_digits(image)
    parts = {name: data for name, data in parts.items() if name.startswith(".debug_")}
    return {name: (len(data), zstd(data)) for name, data in [("whole", image), *parts.items()] if data}


def compression(paths, with_digits):
    """{name: ratio}: the sum of the bytes over the sum of the compressed bytes of all files."""
    sums = {}
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for part in pool.map(lambda path: compress(path, with_digits), paths):
            for name, sizes in part.items():
                before = sums.get(name, (0, 0))
                sums[name] = (before[0] + sizes[0], before[1] + sizes[1])
    return {name: size / compressed for name, (size, compressed) in sums.items()}


def figures(paths, args):
    paths = list(paths)
    if not paths:
        sys.exit("no libraries")
    result = {} if args.no_counts else count(paths)
    result["zstd -3, ratio"] = {} if args.no_zstd else compression(paths, not args.without_digits)
    return result


def verdict(language, group, name, ours, target):
    """(near, tolerance): whether a figure is near its target, and how far off it may be; None if it is not compared."""
    if group == "attributes, %" or (group == "for information" and name != "units per library"):
        return None, ""
    if name == "whole":
        return WHOLE_ZSTD[0] <= ours <= WHOLE_ZSTD[1], f"{WHOLE_ZSTD[0]} to {WHOLE_ZSTD[1]}"
    if group == "sections, %":
        return abs(ours - target) <= NEAR_SHARE, f"{NEAR_SHARE} points"
    if group == "zstd -3, ratio":
        if name not in (".debug_info", ".debug_str", ".debug_line", ".debug_loclists", ".debug_rnglists"):
            return None, ""
        return abs(ours - target) <= target * NEAR_ZSTD / 100, f"{NEAR_ZSTD} %"
    if group in ("tags, %", "forms, %") and max(ours, target) < LEAST_SHARE[language]:
        return None, ""
    if "linkage name" in name and language == "c":  # only builtins have one
        return None, ""
    return abs(ours - target) <= target * NEAR / 100, f"{NEAR} %"


def rows(language, ours, target):
    """(group, name, ours, target, near or None, tolerance) of each figure that either side has."""
    for group in ours:
        names = list(target.get(group, {}))
        names += [name for name in ours[group] if name not in names]
        if not ours[group]:
            continue
        for name in names:
            pair = (ours[group].get(name) or 0, target.get(group, {}).get(name) or 0)
            if group.endswith("%") and max(pair) < min(0.05, LEAST_SHARE[language]):
                continue
            yield (group, name, *pair, *verdict(language, group, name, *pair))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=["c", "c++"], default="c", help="whose target")
    parser.add_argument("--like", metavar="LIBRARY", action="append", default=[], help="take this one as target")
    parser.add_argument("--fail", action="store_true", help="exit with status 1 on a miss")
    parser.add_argument("--misses", action="store_true", help="print misses only")
    parser.add_argument("--no-zstd", action="store_true", help="do not compress")
    parser.add_argument("--no-counts", action="store_true", help="compress only")
    parser.add_argument("--without-digits", action="store_true", help="leave out names that end in a row of digits")
    parser.add_argument("--print", action="store_true", help="print the figures, as JSON")
    parser.add_argument("what", metavar="SET|FILE", nargs="+")
    args = parser.parse_args()

    ours = figures(libraries(args.what), args)
    if args.print:
        print(json.dumps(ours, indent=4))
        return 0
    target = figures(libraries(args.like), args) if args.like else TARGETS[args.language]
    misses = compared = 0
    before = None
    for group, name, mine, wanted, near, how in rows(args.language, ours, target):
        compared += near is not None
        misses += near is False
        if args.misses and near is not False:
            continue
        if group != before:
            print(f"\n{group:45} {'ours':>10} {'target':>10} {'ours/target':>12}")
            before = group
        ratio = f"{mine / wanted:12.2f}" if wanted else " " * 12
        mark = {None: "", True: "ok", False: "MISS"}[near]
        print(f"  {name:43} {mine:10.2f} {wanted:10.2f} {ratio}  {mark:4} {how}".rstrip())
    print(f"\n{misses} of {compared} figures are off")
    return 1 if args.fail and misses else 0


if __name__ == "__main__":
    sys.exit(main())
