# readme.awk: the examples of a README.  A ```lua block is an example; a ```text block that follows it
# before the next one is what it prints.
#
#     awk -v dir=DIR -f readme.awk README             DIR/N.lua and, where there is one, DIR/N.want
#     awk -v dir=DIR -v update=1 -f readme.awk README  the README with DIR/N.got in place of each text
/^```lua$/  { if (update) print; else printf "" > (dir "/" ++n ".lua"); if (update) n++; in_lua = 1; next }
/^```text$/ { if (update) print; if (n > 0 && n != answered) { in_text = 1; answered = n; copy() }; next }
/^```[a-z]/ { if (update) print; answered = n; next }
/^```$/     { if (update) print; in_lua = in_text = 0; next }
in_lua  && !update { print > (dir "/" n ".lua") }
in_text && !update { print > (dir "/" n ".want") }
update && !in_text { print }

function copy(  line, file) {
    file = dir "/" n (update ? ".got" : ".want")
    if (!update) { printf "" > file; return }
    while ((getline line < file) > 0) print line
    close(file)
}
