# shellcheck shell=bash
# kcost.bash: completion for bash.  What may stand there says `kcost complete`, which knows its own options and names.

# The words up to the cursor; bash has split them at "=", and `kcost complete` wants them whole.
_kcost_words() {
    local i word
    words=()
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 1)) && { [ "$word" = "=" ] || [ "${COMP_WORDS[i - 1]}" = "=" ]; }; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
}

# $1: the command.
_kcost() {
    local words offer cut="" word
    _kcost_words
    word=${words[-1]}
    [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && cut=${word%%=*}=
    COMPREPLY=()
    while IFS=$'\t' read -r offer _; do
        case $offer in
        "") ;;
        ":files .lua")
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.lua' -- "$word"; compgen -d -- "$word")
            compopt -o filenames 2>/dev/null
            ;;
        :files)
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "${word#"$cut"}")
            compopt -o filenames 2>/dev/null
            ;;
        *=) # a value follows
            COMPREPLY+=("${offer#"$cut"}")
            compopt -o nospace 2>/dev/null
            ;;
        *) COMPREPLY+=("${offer#"$cut"}") ;;
        esac
    done < <("$1" complete -- "${words[@]}" 2>/dev/null)
}

complete -F _kcost kcost
