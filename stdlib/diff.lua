-- diff.lua: two JSON documents of kcost beside each other: `kcost diff before.json after.json --tolerance 1%`.
local kc = require "kcost"
local si = kc.lib.report.si
local diff = {}

-- Costs: more of them is worse.
local costs = {
    { "flops", "FLOP" }, { "executed_flops", "FLOP" }, { "bytes", "B" }, { "l2_bytes", "B" }, { "smem_bytes", "B" },
    { "time", "s" },
}
local causes = { "compulsory", "reload", "pass", "spill", "split" }

-- All results of a document, a program's kernels behind it: a list, and by a name that tells each from the others.
local function results_of(document, path, list)
    list = list or { by_name = {} }
    if type(document) ~= "table" then return list end
    if document.kind == "sweep" then error("diff compares results, and not sweeps: return its best", 0) end
    if not document.flops then
        for _, part in ipairs(document.results or document) do results_of(part, path, list) end
        return list
    end
    local name, copies = (path or "") .. document.name .. (document.device and " on " .. document.device or ""), 1
    local unique = name
    while list.by_name[unique] do
        copies = copies + 1
        unique = name .. " (" .. copies .. ")"
    end
    list[#list + 1], list.by_name[unique] = unique, document
    results_of(document.kernels, document.name .. ": ", list)
    return list
end

local function ledger_of(result)
    local rows = {}
    for _, row in ipairs(result.tensors or {}) do rows[row.name] = row end
    return rows
end

-- "S spill +1.66 GB": what of the tensors grew, the largest first.
local function grown(before, after)
    local old, found = ledger_of(before), {}
    for _, row in ipairs(after.tensors or {}) do
        for _, cause in ipairs(causes) do
            local more = (row[cause] or 0) - (old[row.name] and old[row.name][cause] or 0)
            if more > 0 then found[#found + 1] = { more, row.name .. " " .. cause .. " +" .. si(more, "B") } end
        end
    end
    table.sort(found, function(a, b) return a[1] > b[1] or (a[1] == b[1] and a[2] < b[2]) end)
    local words = {}
    for i = 1, math.min(#found, 4) do words[i] = found[i][2] end
    return #words > 0 and ": " .. table.concat(words, ", ") or ""
end

-- The lines that differ by more than `tolerance` (a share), and how many of them are worse.
function diff.compare(before, after, tolerance)
    local old, new = results_of(before), results_of(after)
    local lines, worse = {}, 0
    local function say(bad, ...)
        lines[#lines + 1] = string.format(...)
        worse = worse + (bad and 1 or 0)
    end
    for _, name in ipairs(old) do
        local was, is = old.by_name[name], new.by_name[name]
        if not is then say(true, "%s: gone", name) end
        for _, cost in ipairs(is and costs or {}) do
            local field, unit = cost[1], cost[2]
            local a, b = was[field] or 0, is[field] or 0
            if math.abs(b - a) > tolerance * a then
                say(b > a, "%s: %s %s -> %s%s%s", name, field, si(a, unit), si(b, unit),
                    a > 0 and string.format(" (%+.3g %%)", 100 * (b / a - 1)) or "",
                    field == "bytes" and grown(was, is) or "")
            end
        end
    end
    for _, name in ipairs(new) do
        if not old.by_name[name] then say(false, "%s: new", name) end
    end
    return lines, worse
end

-- "1%" or "0.01" as a share.
local function share_of(text)
    local percent = text:match("^([%d.]+)%s*%%$")
    local share = percent and tonumber(percent) and tonumber(percent) / 100 or tonumber(text:match("^[%d.]+$") or "")
    if not share then error("--tolerance wants a share, as 1% or 0.01, not '" .. text .. "'", 0) end
    return share
end

-- The document in a file, which has results: without any, a build would pass that compares nothing.
local function document_in(path)
    local good, document = pcall(kc.load_json, path)
    if not good then
        local why = tostring(document):gsub("^.-kc%.load_json: ", "")
        error(why:find(path, 1, true) and why or path .. ": " .. why, 0)
    end
    if #results_of(document) == 0 then error(path .. " has no results of kcost; --json prints them", 0) end
    return document
end

-- Of two files: what differs as a text; an error, once it is printed, if anything is worse.
function diff.run(before, after, tolerance)
    local lines, worse = diff.compare(document_in(before), document_in(after), share_of(tolerance or "0"))
    if worse > 0 then
        print(table.concat(lines, "\n"))
        error(string.format("%d figure%s worse by more than %s", worse, worse == 1 and " is" or "s are", tolerance or "0"), 0)
    end
    return #lines > 0 and table.concat(lines, "\n") or "no difference"
end

return diff
