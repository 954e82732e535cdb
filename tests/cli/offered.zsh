# offered.zsh: what zsh offers at the end of lines, by its own completion system:
#
#     zsh -f offered.zsh FOLDER <LINES
#
# FOLDER has _kcost.  A shell behind a pseudo-terminal is asked with Tab, line by line, and the matches that it adds are
# printed: a line each, blanks between them.
zmodload zsh/zpty
zpty offered zsh -f -i
ask() { zpty -w offered "$1"; }
ask "PROMPT= RPROMPT= ; unsetopt zle_bracketed_paste; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
ask 'compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a found; builtin compadd -A found "$@"; builtin compadd "$@"
    local word; for word in $found; do print -r -- "<$word>"; done
}'
ask 'over() { print -r -- "<:over>"; zle kill-buffer; }; zle -N over'
ask 'zle -C asked list-choices _main_complete; bindkey "^I" asked; bindkey "^T" over; print "<:rea""dy>"' # its echo is not taken for it
zpty -r offered seen '*<:ready>*
*'
while IFS= read -r line; do
    zpty -wn offered "$line"$'\t\x14'
    zpty -r offered seen '*<:over>*'
    print -r -- "$seen" | grep -o '<[^:>][^>]*>' | tr -d '<>' | sort -u | tr '\n' ' '
    print
done
zpty -d offered
