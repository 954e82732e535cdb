# offered.bash: what bash offers at the end of lines, its function called as bash would: "=" is a word of its own.
#
#     bash offered.bash kcost.bash <LINES
#
# Words are printed: a line each, blanks between them.
# shellcheck disable=SC1090
. "$1"
while IFS= read -r line; do
    # shellcheck disable=SC2206  # no word of the tests has a blank or a glob
    COMP_WORDS=(${line//=/ = }) COMP_CWORD=0
    [[ $line == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _kcost kcost "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' '
    echo
done
