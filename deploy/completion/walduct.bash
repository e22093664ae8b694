# bash completion for walduct(1): the program itself knows its commands and options.
_walduct() {
  local word
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    if [ "$word" = ":files" ]; then
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$2")
      compopt -o filenames 2>/dev/null
    else
      COMPREPLY+=("$word")
    fi
  done < <("$1" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _walduct walduct
