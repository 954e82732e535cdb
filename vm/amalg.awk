# amalg.awk: the model as one C file, kcost.c, for those who paste it into a project.
#
#     awk -f vm/amalg.awk LICENSE vm/model/*.c devices.c >kcost.c
#
# System headers first, then ours in the order in which they need each other, then the files.  A name
# that two files use privately gets the file's name before it, in that file: "add" of work.c is
# "work__add".  A macro ends with its file.  The files are read as they are written here: what stands at
# file scope starts a line.

BEGIN {
    for (i = 2; i < ARGC; i++)
        read(ARGV[i])
    for (i = 1; i <= files; i++)
        declare(file[i])
    head(ARGV[1])
    printf "%s#include \"kcost.h\"\n%s", features, system_headers
    for (i = 1; i <= files; i++)
        write(file[i])
    exit failed
}

# What the Makefile asks of the compiler is asked here: the same figures everywhere.  In one file gcc sees
# through calls: that a long text would be cut, which is meant, and names that are NULL for no field of ours.
function head(license,    text) {
    print "/* kcost.c: the model of kcost.h, all but its VM, in one file.  Written by make amalg."
    print " *\n *     cc -std=c11 -O2 -pthread -c kcost.c        and link with -lm -pthread\n *"
    while ((getline text <license) > 0)
        print text ? " * " text : " *"
    print " */"
    print "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF"
    print "#else /* gcc 12 and 13 drop stores of a loop over two arrays of one struct */"
    print "#pragma GCC optimize(\"no-ivopts\", \"fp-contract=off\")"
    print "#pragma GCC diagnostic ignored \"-Wformat-truncation\""
    print "#pragma GCC diagnostic ignored \"-Wformat-overflow\"\n#endif\n"
}

function fail(sentence) { print "amalg: " sentence >"/dev/stderr"; failed = 1 }

function stem(path) { sub(/.*\//, "", path); sub(/\.[ch]$/, "", path); return path }

# ---- reading -----------------------------------------------------------------------------------

# Keeps the lines of a file, but not its includes: headers go before it.
function read(path,    text, got, folder, lines, name) {
    folder = "vm/model/"
    while ((got = (getline text <path)) > 0)
        if (text ~ /^#include "/) {
            name = folder substr(text, 11, length(text) - 11)
            if (text !~ /"kcost.h"/ && !(name in known)) {
                known[name]
                read(name)
            }
        } else if (text ~ /^#include </) {
            sub(/ *\/\*.*/, "", text)
            if (!(text in known))
                system_headers = system_headers text "\n"
            known[text]
        } else if (text ~ /^#define _[A-Z]+_SOURCE/)
            features = features "#ifndef " word(text, 9) "\n" text "\n#endif\n"
        else
            line[path, ++lines] = text
    if (got < 0)
        fail("cannot read " path)
    length_of[path] = lines
    close(path)
    file[++files] = path
}

# The identifier that starts at the place in the text, or "".
function word(text, at) {
    text = substr(text, at)
    return match(text, /^[A-Za-z_][A-Za-z0-9_]*/) ? substr(text, 1, RLENGTH) : ""
}

# ---- what a file declares ------------------------------------------------------------------------

function own(path, name) {
    if (name && name !~ /^kci?_/ && !((path, name) in declares)) {
        declares[path, name]
        owners[name]++
    }
}

# The last identifier before the place.
function own_before(path, text, at) {
    text = substr(text, 1, at - 1)
    sub(/[^A-Za-z0-9_]*$/, "", text)
    match(text, /[A-Za-z0-9_]*$/)
    own(path, substr(text, RSTART))
}

# A, B = 2, C
function own_enumerators(path, text,    item, n, i) {
    gsub(/\/\*.*|[{}].*/, "", text)
    n = split(text, item, ",")
    for (i = 1; i <= n; i++) {
        sub(/^ */, "", item[i])
        own(path, word(item[i], 1))
    }
}

function declare(path,    i, text, in_enum) {
    for (i = 1; i <= length_of[path]; i++) {
        text = line[path, i]
        sub(/^__extension__ /, "", text)
        if (in_enum)
            own_enumerators(path, text)
        if (match(text, /^(typedef )?(struct|union|enum) [a-z0-9_]+( \{|;|$)/))
            own_before(path, text, RLENGTH + 1)
        if (text ~ /^(typedef )?enum [^;]*\{/) {
            in_enum = 1
            own_enumerators(path, substr(text, index(text, "{") + 1))
        }
        if (text ~ /^typedef .*\(\*[a-z0-9_]+\)/)
            own(path, word(text, index(text, "(*") + 2))
        else if (text ~ /^(typedef|\}) [^{(]*;/ && text !~ /^\};/)
            own_before(path, text, index(text, ";"))
        else if (text ~ /^(static|\}) / && match(text, /[(=;[]/))
            own_before(path, text, RSTART)
        if (text ~ /\}/)
            in_enum = 0
    }
}

# ---- writing ------------------------------------------------------------------------------------

function write(path,    i, text, name, names) {
    printf "\n/* ---- %s ---- */\n", substr(path, match(path, /[^\/]*$/))
    in_comment = braces = members = 0
    before = ""
    for (i = 1; i <= length_of[path]; i++) {
        text = line[path, i]
        if (path ~ /h$/) {
            print text
            continue
        }
        if (text ~ /^#define /) {
            macro[++names] = word(text, 9)
            defined[macro[names]] = 1
        } else if (text ~ /^#undef /)
            defined[word(text, 8)] = 0
        print renamed(path, text)
    }
    for (i = 1; i <= names; i++)
        if (defined[macro[i]])
            print "#undef " macro[i]
}

# The line with its clashing names replaced.
function renamed(path, text,    out, token) {
    while (text != "") {
        token = token_of(text)
        text = substr(text, length(token) + 1)
        out = out (clashes(path, token, text) ? stem(path) "__" token : token)
    }
    return out
}

# Of a comment: all of it that stands on this line.
function token_of(text,    token) {
    if (text ~ /^\/\*/)
        in_comment = 1
    if (in_comment) {
        token = match(text, /\*\//) ? substr(text, 1, RSTART + 1) : text
        in_comment = !RSTART
    } else if (match(text, /^[A-Za-z_][A-Za-z0-9_]*/) || match(text, /^[0-9][0-9A-Za-z_.]*/) ||
               match(text, /^"([^"\\]|\\.)*"/) || match(text, /^'([^'\\]|\\.)*'/) || match(text, /^(->|[ \t]+)/))
        token = substr(text, 1, RLENGTH)
    else
        token = substr(text, 1, 1)
    return token
}

# A member keeps its name: behind "." and "->", and where a struct declares it.
function clashes(path, token, after,    is_member) {
    if (token ~ /^([ \t]|\/\*)/)
        return 0
    is_member = before ~ /^(\.|->)$/ || (braces && in_struct[braces] && after ~ /^ *[;,:)[]/)
    follow(token)
    return !is_member && owners[token] > 1 && (path, token) in declares
}

# Which braces are open, and which of them hold members.
function follow(token) {
    if (token == "{")
        in_struct[++braces] = members
    if (token == "}")
        braces--
    if (token ~ /^(struct|union)$/)
        members = 1
    else if (token ~ /^[{};()=,]$/)
        members = 0
    before = token
}
