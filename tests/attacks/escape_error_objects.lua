-- expect: error, script
-- threat: an error object that is no text, with a metatable that answers
-- vm: any
error(setmetatable({}, { __tostring = function() return "ESCAPE" end, __name = "ESCAPE", __concat = error }))
