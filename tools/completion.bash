# Completion of command lines in bash(1): options as --help lists them, shipped profiles, values of options, and files.
# Installed once for each program, by whose name bash-completion looks for it.

_pyelf_values()
{
  case $1 in
    --compress) echo none zlib zstd ;;
    --hash) echo gnu sysv both ;;
    --separate) echo none debuglink build-id ;;
    --index) echo none gdb_index debug_names ;;
    --mode) echo vanilla link bind-now static ;;
    --phases) echo import visit mpi ;;
    --import-order | --visit-order) echo given random shifted ;;
    --dlopen-flags) echo now lazy global deepbind ;;
    --counters) echo os sde papi none ;;
    --limit) echo startup= import= visit= total= mpi= ;;
  esac
}

# The shipped profiles, which are beside the program's directory in a build and in an installation.
_pyelf_profiles()
{
  local program file
  program=$(type -P "$1") || return
  for file in "${program%/*}"/../share/pyelfgen/profiles/*.prof; do
    file=${file##*/}
    [[ $file == '*.prof' ]] || echo "${file%.prof}"
  done
}

# bash gives the program, the word to complete and the word before it. '=' is a word of its own.
_pyelf()
{
  local word=$2 before=$3 options values
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  if [[ $word == -* ]]; then
    options=$("$1" --help 2> /dev/null | sed -n 's/^  \(-[A-Za-z],\)\? *\(--[a-z-]*=\?\).*/\2/p')
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2> /dev/null
    return
  fi
  case $before in
    --profile | --memory | -P) values=$(_pyelf_profiles "$1") ;;
    *) values=$(_pyelf_values "$before") ;;
  esac
  mapfile -t COMPREPLY < <(
    compgen -W "$values" -- "$word"
    compgen -f -- "$word"
  )
}

complete -o filenames -F _pyelf pyelfgen pyelfrun pyelfstat pyelfprof pyelfprobe pyelfmount
