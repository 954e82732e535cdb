-- failing.lua: what the specs share: the message of a call that must fail.

local failing = {}

-- pcall, which memory that ran out goes through: it is not the failure that a spec looks for.
function failing.try(f, ...)
    local good, value = pcall(f, ...)
    if not good and value == "not enough memory" then error(value, 0) end
    return good, value
end

-- The message of f(...) with its position; an error where there is none.
function failing.whole(f, ...)
    local good, message = failing.try(f, ...)
    if good then error("the call succeeded", 2) end
    return tostring(message)
end

-- The message without its position.
function failing.message(f, ...)
    local good, message = failing.try(f, ...)
    if good then error("the call succeeded", 2) end
    return (tostring(message):gsub("^[^\n]-:%d+: ", "", 1))
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
