# shellcheck shell=bash
# kcost.bash: completion for bash.  Its words come from the command itself, so none is missing or gone.

# What an option takes, by the help: "FILE", "NAME", ""
_kcost_argument() {
    "$1" --help | sed -nE "s/^ +(-[a-z], )?$2(, --[a-z-]+)? ([A-Z][A-Z\/=]*) .*/\3/p"
}

# _kcost_words COMMAND KIND [FAMILY]
_kcost_words() {
    local family=${3:+"'$3'"}
    case $2 in
    options) "$1" --help | sed -nE 's/^ +(-[a-z], )?(--[a-z-]+).*/\2/p' ;;
    subcommands) "$1" --help | sed -nE 's/^ +kcost ([a-z]+) .*/\1/p' ;;
    devices) "$1" devices --quiet | awk 'NR > 1 { print $1 }' ;;
    kernels) "$1" -e "return table.concat(require('kcost').lib.command.names($family), ' ')" ;;
    esac 2>/dev/null
}

# What the word belongs to: "start", or what follows the script, kernel or subcommand before it.
_kcost_place() {
    local command=$1 i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        devices) echo devices && return ;;
        merge) echo files && return ;;
        -*) [ "$(_kcost_argument "$command" "${COMP_WORDS[i]}")" ] && ((i++)) ;;
        *) echo nothing && return ;;
        esac
    done
    echo start
}

# $1 the command, $2 the word so far, $3 the one before it; "=" is a word of its own.
_kcost() {
    local command=$1 word=$2 before=$3 wanted list="" family=""
    [ "${COMP_WORDS[COMP_CWORD]}" = "=" ] && before=$before=
    [ "$before" = "=" ] && before=${COMP_WORDS[COMP_CWORD - 2]}=
    wanted=$(_kcost_place "$command")
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
    [[ $word == -* ]] && wanted=options
    COMPREPLY=()
    case $wanted in
    devices) # several, with "," between them
        list=${word%"${word##*,}"}
        mapfile -t COMPREPLY < <(compgen -P "$list" -W "$(_kcost_words "$command" devices)" -- "${word##*,}")
        ;;
    options) mapfile -t COMPREPLY < <(compgen -W "$(_kcost_words "$command" options)" -- "$word") ;;
    files) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    start)
        [[ $word =~ ^([a-z0-9_]+)\. ]] && family=${BASH_REMATCH[1]}
        mapfile -t COMPREPLY < <(
            compgen -W "$(_kcost_words "$command" subcommands) $(_kcost_words "$command" kernels "$family")" -- "$word"
            compgen -f -X '!*.lua' -- "$word"
            compgen -d -- "$word"
        )
        ;;
    esac
}

complete -o filenames -F _kcost kcost
