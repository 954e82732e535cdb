-- What Lua 5.4 and LuaJIT share; `make lint` also parses each file with both compilers.
std = "min"
max_line_length = 140
exclude_files = { "build", "stdlib/meta", "tests/wrong", "tests/cases" }
files["tests/**/*_spec.lua"] = { std = "min+busted" }
files["devices"] = { max_line_length = false }
