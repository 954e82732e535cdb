# man.awk: the manual page, from what `kcost --help` says.
#
#     kcost --help | awk -f vm/cli/man.awk -v version=0.1.0 >kcost.1
#
# The help is paragraphs: usage, a sentence, options, and notes.  Every text of an option starts in the
# column where that of --help does.

{ line[NR] = $0 }
/^ *-h, --help / { column = index($0, "print") }

END {
    print ".TH KCOST 1 \"\" \"kcost " version "\" \"User Commands\""
    print ".SH NAME\nkcost \\- what a GPU kernel costs\n.SH SYNOPSIS\n.nf"
    for (i = 1; line[i] != ""; i++)
        usage(line[i])
    print ".fi\n.SH DESCRIPTION"
    while (line[++i] != "")
        print escaped(line[i])
    print "What a script returns is printed: results, comparisons and sweeps as tables."
    print ".SH OPTIONS"
    while (line[++i] != "")
        option(line[i])
    while (++i <= NR)
        note(line[i])
    print ".SH EXAMPLES\n.EX\nkcost script.lua \\-\\-device h100\\-sxm5\nkcost \\-\\-json script.lua j=4096 | jq ."
    print "kcost devices h100\\-sxm5\n.EE"
    print ".SH SEE ALSO\n.BR lua5.4 (1),\n.BR luajit (1)"
}

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    sub(/^[.']/, "\\\\\\&&", text)
    return text
}

function usage(text) {
    sub(/^(usage:)? *kcost/, "", text)
    print "\\fBkcost\\fR" escaped(text)
}

function option(text,    left) {
    left = escaped(substr(text, 1, column - 1))
    gsub(/^ +| +$/, "", left)
    sub(/[A-Z][A-Z\/=]*$/, "\\fI&\\fR", left)
    if (left != "")
        print ".TP\n\\fB" left "\\fR"
    print escaped(substr(text, column))
}

# "KCOST_PATH: folders ...", "Exit status: 0 good, ...", or a sentence of the one before.
function note(text) {
    if (text ~ /^[A-Z_]+: /) {
        print (environment++ ? "" : ".SH ENVIRONMENT\n") ".TP\n.B " substr(text, 1, index(text, ":") - 1)
        text = substr(text, index(text, ":") + 2)
    } else if (text ~ /^Exit status: /) {
        print ".SH EXIT STATUS"
        text = substr(text, 14)
    } else if (text ~ /^Results /)
        print ".SH OUTPUT"
    print escaped(text)
}
