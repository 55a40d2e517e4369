#!/usr/bin/env bash
# Runs Pynamic's own driver and executable, unmodified, on a set of ours.
#
#   tests/pynamic.sh PYNAMIC SET DIRECTORY
#
# PYNAMIC is a checkout of github.com/LLNL/pynamic, or the folder in it that
# has so_generator.py. DIRECTORY must not exist. It gets symbolic links to the
# set's libraries. There Pynamic's generator writes its driver for as many
# modules, and Pynamic's Makefile links its executable with the libraries. Both
# run with PYNAMIC_RANKS ranks, by default two. The exit status is 0 if both
# print that the MPI test passed. PYTHON names a Python with mpi4py and a
# python3-config beside it.

set -euo pipefail

fail() {
  printf 'pynamic.sh: %s\n' "$*" >&2
  exit 1
}

[ $# -eq 3 ] || {
  sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
pynamic=$(realpath -- "$1")
set=$(realpath -- "$2")
directory=$3
python=${PYTHON:-/usr/bin/python3}
ranks=${PYNAMIC_RANKS:-2}
here=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")

for inside in "$pynamic" "$pynamic"/*/; do
  [ ! -f "$inside/so_generator.py" ] || pynamic=$inside
done
[ -f "$pynamic/so_generator.py" ] || fail "$1 has no so_generator.py; name a checkout of github.com/LLNL/pynamic"
[ -f "$set/manifest.json" ] || fail "$2 is no set: it has no manifest.json; generate it with pyelfgen"
mkdir -- "$directory" || fail "$directory cannot be made; name one that does not exist"
cd -- "$directory"
directory=$PWD

while IFS='=' read -r name value; do
  [[ $name == \#* || -z $name || -n ${!name+set} ]] || export "$name=$value"
done <"$here/mpi.env"

mkdir examples
cp -- "$pynamic"/{so_generator.py,Makefile.mpi4py,mpi4py_main.c} .
cp -- "$pynamic/examples/fractal.py" examples/
ln -s -- "$set"/lib*.so .
modules=$(find . -name 'libmodule[0-9]*.so' | wc -l)

# The whole generator would write and compile its own libraries. So only its
# last step is called, with the driver's text that it has for mpi4py.
"$python" - "$modules" <<'END'
import ast
import sys

sys.path.insert(0, ".")
import so_generator

with open("so_generator.py") as file:
    assigned = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Assign)]
texts = [ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets) == "mpi_wrapper_text"]
[wrapper] = [text for text in texts if "mpi4py" in text]
so_generator.create_driver(int(sys.argv[1]), "pynamic_driver_mpi4py.py", wrapper)
END

# The variables adapt the Makefile. It counts with bash's {1..N}. It names
# libpython before the objects that need it, so a linker with --as-needed drops
# it. It looks for python-config, which Debian calls python3-config. It leaves
# the run path to the user.
make -f Makefile.mpi4py SHELL=/bin/bash PYTHON_EXE="$python" PYTHON_CONFIG="$python-config" \
  CC='mpicc -Wl,--no-as-needed' LDFLAGS="-Wl,-rpath,$directory" pynamic-mpi4py >make.log 2>&1 ||
  fail "the executable cannot be built: $(tail -n 1 make.log); see $directory/make.log"

# passes NAME COMMAND...: runs it under mpirun, output also in NAME.out; fails
# unless the MPI test passed.
passes() {
  local name=$1
  shift
  printf '== %s\n' "$name"
  mpirun -n "$ranks" "$@" | tee "$name.out"
  grep -qx 'Pynamic: mpi test passed!' "$name.out" || fail "$name did not come to its end"
}

passes executable ./pynamic-mpi4py
passes driver "$python" pynamic_driver_mpi4py.py "$(date +%s)"
