# Completion of the ghlo command for bash. Commands and options come from the
# command's own --help.

_ghlo ()
{
  local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}

  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(ghlo --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p') --help --version" -- "$current")
    return
  fi

  case "$current" in
    --device=* | --format=*)
      ;;
    --input=* | --fill=* | --output-dir=*)
      compopt -o nospace
      mapfile -t COMPREPLY < <(compgen -f -- "${current#*=}")
      ;;
    -*)
      mapfile -t COMPREPLY < <(compgen -W "$(ghlo "$command" --help 2>/dev/null | grep -o -- '--[a-z-]*=\{0,1\}')" -- "$current")
      case "${COMPREPLY[0]}" in *=) compopt -o nospace ;; esac
      ;;
    *)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -X '!*.mlir*' -- "$current"; compgen -d -- "$current")
      ;;
  esac
}

complete -F _ghlo ghlo
