-- plot_ledger.lua: what moves each tensor's bytes, one result beside the other.
local kc = require "kcost"
local record = require "kcost.internal.plot_record"

local ledger = {}

local causes = { "compulsory", "reload", "pass", "spill", "split" }

local function bytes_of(tensor)
    local total = 0
    for _, cause in ipairs(causes) do total = total + tensor[cause] end
    return total
end

-- A program stands whole here: fused against unfused.
local function whole(p)
    local list, seen = {}, {}
    for _, x in ipairs(p) do
        if record.kind(x) == "comparison" then
            local first
            for _, row in ipairs(x.results) do -- on one device: the ledgers differ by its caches alone
                first = first or row.device
                if row.device == first and type(row) ~= "table" then list[#list + 1] = row end
            end
        elseif record.kind(x) == "result" then
            list[#list + 1] = x
        else
            error("kc.plot.ledger: a " .. record.kind(x) .. " is given, and results or comparisons are wanted", 3)
        end
    end
    if #list == 0 then error("kc.plot.ledger: there is no result to draw; give results or comparisons", 3) end
    for _, r in ipairs(list) do seen[r.name] = (seen[r.name] or 0) + 1 end
    return list, seen
end

-- kc.plot.ledger: HBM bytes of each tensor by cause (compulsory, reload, pass, spill, split), a bar for each of the
-- results or rows of a comparison (those on its first device).
--     title
-- x: bytes; tensors in order of their largest bar.
function ledger.ledger(p)
    p = record.take("ledger", p, { "title" })
    local results, seen = whole(p)
    local tensors, by_name = {}, {}
    for i, r in ipairs(results) do
        for _, t in ipairs(r.tensors) do
            local tensor = by_name[t.name]
            if not tensor then
                tensor = { name = t.name, order = #tensors, most = 0, of = {} }
                tensors[#tensors + 1], by_name[t.name] = tensor, tensor
            end
            local sums = tensor.of[i] or {}
            for _, cause in ipairs(causes) do sums[cause] = (sums[cause] or 0) + t[cause] end
            tensor.of[i], tensor.most = sums, math.max(tensor.most, bytes_of(sums))
        end
    end
    table.sort(tensors, function(a, b)
        if a.most ~= b.most then return a.most > b.most end
        return a.order < b.order
    end)
    local names, series, top = {}, {}, 0
    for g, cause in ipairs(causes) do series[g] = { name = cause, mark = "bar", group = g, points = {} } end
    for n, tensor in ipairs(tensors) do
        if n > 1 and #results > 1 then names[#names + 1] = "" end
        for i, r in ipairs(results) do
            local name = r.name
            if seen[name] > 1 then name = name .. " (" .. kc.str(i) .. ")" end
            names[#names + 1] = #results > 1 and tensor.name .. "  " .. name or tensor.name
            local sums = tensor.of[i] or {}
            for g, cause in ipairs(causes) do
                if (sums[cause] or 0) > 0 then
                    table.insert(series[g].points, { x = sums[cause], y = #names, name = names[#names] })
                end
            end
        end
        top = math.max(top, tensor.most)
    end
    local used = {}
    for _, s in ipairs(series) do if #s.points > 0 then used[#used + 1] = s end end
    local device = results[1].device
    return record.new { plot = "ledger",
        title = p.title or "HBM bytes by tensor and cause" .. (device and " on " .. device or ""),
        x = { name = "bytes", unit = "byte", scale = "linear", from = 0, to = 1.15 * math.max(top, 1) },
        y = { name = "tensor", unit = "", scale = "names", from = 0.5, to = #names + 0.5, names = names },
        notes = { results[1].convention }, series = used }
end

return ledger
