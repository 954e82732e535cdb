-- expect: finishes or error
-- threat: a chain of coroutine.close overflows the C stack of Lua 5.4.4
-- vm: any
if not coroutine.close then return "safe" end
error("ESCAPE: coroutine.close")
