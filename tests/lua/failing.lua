-- failing.lua: what the specs share: the message of a call that must fail.

local failing = {}

-- The error message of f(...), without its position; an error where there is none.
function failing.message(f, ...)
    local good, message = pcall(f, ...)
    if good then error("the call succeeded", 2) end
    return (tostring(message):gsub("^[^\n]-:%d+: ", "", 1))
end

-- The message with its position.
function failing.whole(f, ...)
    local good, message = pcall(f, ...)
    if good then error("the call succeeded", 2) end
    return tostring(message)
end

-- The line of the caller.
function failing.line()
    return debug.getinfo(2, "l").currentline
end

-- Does text hold the words, in this order?
function failing.holds(text, ...)
    local from = 1
    for _, word in ipairs({ ... }) do
        local _, last = text:find(word, from, true)
        if not last then return false end
        from = last + 1
    end
    return true
end

return failing
