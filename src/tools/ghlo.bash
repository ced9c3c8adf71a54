# Completion of the ghlo command for bash. Commands and options come from the
# command's own --help.

_ghlo ()
{
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} option=

  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(ghlo --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p') --help --version" -- "$current")
    return
  fi

  # Bash takes --option=value for three words.
  if [ "$current" = = ]; then
    option=$previous current=
  elif [ "$previous" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi

  case "$option:$current" in
    --to:*)
      mapfile -t COMPREPLY < <(compgen -W 'text bytecode' -- "$current")
      ;;
    --format:*)
      mapfile -t COMPREPLY < <(compgen -W 'tensor dense' -- "$current")
      ;;
    --stage:*)
      mapfile -t COMPREPLY < <(compgen -W 'parsed passes fusion plan kernels code' -- "$current")
      ;;
    --device:* | --function:* | --target:*)
      ;;
    :-*)
      mapfile -t COMPREPLY < <(compgen -W "$(ghlo "$command" --help 2>/dev/null | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*=\{0,1\}\).*/\2/p')" -- "$current")
      case "${COMPREPLY[0]}" in *=) compopt -o nospace ;; esac
      ;;
    *)
      if [ "$command" = cache ]; then
        mapfile -t COMPREPLY < <(compgen -W 'list clear path size' -- "$current")
        return
      fi
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
  esac
}

complete -F _ghlo ghlo
