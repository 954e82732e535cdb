# shellcheck shell=bash
# kcost.bash: completion for bash.  Its words come from the command itself, so none is missing or gone.

# What an option takes, by the help: "FILE", "NAME", ""
_kcost_argument() {
    "$1" --help | sed -nE "s/^ +(-[a-z], )?$2(, --[a-z-]+)? ([A-Z][A-Z\/=]*) .*/\3/p"
}

_kcost_words() {
    case $2 in
    options) "$1" --help | sed -nE 's/^ +(-[a-z], )?(--[a-z-]+).*/\2/p' ;;
    subcommands) "$1" --help | sed -nE 's/^ +kcost ([a-z]+) .*/\1/p' ;;
    devices) "$1" devices --quiet | awk 'NR > 1 { print $1 }' ;;
    esac 2>/dev/null
}

# $1 the command, $2 the word so far, $3 the one before it; "=" is a word of its own.
_kcost() {
    local command=$1 word=$2 before=$3 wanted=start i
    [ "${COMP_WORDS[COMP_CWORD]}" = "=" ] && before=$before=
    [ "$before" = "=" ] && before=${COMP_WORDS[COMP_CWORD - 2]}=
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        devices) wanted=devices ;;
        merge | *.lua) wanted=files ;;
        esac
    done
    case $before in
    device= | --device=) wanted=devices ;;
    *=) wanted=nothing ;;
    -*)
        case $(_kcost_argument "$command" "$before") in
        NAME) wanted=devices ;;
        FILE) wanted=files ;;
        ?*) wanted=nothing ;;
        esac
        ;;
    esac
    [[ $wanted != nothing && $word == -* ]] && wanted=options
    COMPREPLY=()
    case $wanted in
    options | devices) mapfile -t COMPREPLY < <(compgen -W "$(_kcost_words "$command" $wanted)" -- "$word") ;;
    start) mapfile -t COMPREPLY < <(
        compgen -W "$(_kcost_words "$command" subcommands)" -- "$word"
        compgen -f -X '!*.lua' -- "$word"
        compgen -d -- "$word"
    ) ;;
    files) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    esac
}

complete -o filenames -F _kcost kcost
