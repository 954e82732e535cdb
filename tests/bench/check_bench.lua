-- check_bench.lua: a quick run of the benchmarks gives every row of rows.lua, as a table and as CSV.  No figure is judged.
package.path = "tests/bench/?.lua;tests/data/?.lua;" .. package.path
local rows, csv = require "rows", require "csv"
local t = require "tally".new "bench"

local engine, build = os.getenv "ENGINE", os.getenv "BUILD"
if (os.getenv "VARIANT" or "") ~= "" then os.exit(77) end

local path = os.tmpname()
local pipe = io.popen(("KCOST_BENCH_QUICK=1 %s tests/bench/bench.lua -o %s %s 2>&1"):format(engine, path, build))
local table_text = pipe:read "*a"
pipe:close()
local got = csv.read(path)
os.remove(path)

-- Every row that is wanted, once for each row that it is divided by.
local wanted = {}
for _, bench in ipairs(rows) do
    for _, row in ipairs(bench) do
        local who = row.engine or bench.engine
        for _, against in ipairs(row.against or bench.against or { {} }) do
            if not row.long then
                wanted[#wanted + 1] = {
                    bench = bench.bench, engine = who == "each" and engine or who, name = row[1], against = against[1] or "",
                }
            end
        end
    end
end

local values = {}
for _, row in ipairs(got) do values[row.engine .. ": " .. row.name] = tonumber(row.value) end

-- What is wrong with a row; nil: nothing.
local function fault(row, want)
    local value, base = tonumber(row.value), values[row.against]
    if row.bench ~= want.bench or row.engine ~= want.engine or row.name ~= want.name then return "is not in its place" end
    if row.against:sub(-#want.against) ~= want.against then return "is against " .. row.against end
    if row.unit == "" then return "has no unit" end
    if not table_text:find(row.name, 1, true) then return "is not in the table" end
    if not value then
        local said = table_text:find(row.name .. " +- .* is missing") or table_text:find(row.name .. " +- .* has no ")
        return not (said and row.name:find "by hand") and "has no figure" or nil
    end
    if not (value > 0 and value < math.huge) then return "is " .. row.value end
    if not base then return row.ratio ~= "" and "is divided by nothing" or nil end
    return math.abs(tonumber(row.ratio) * base / value - 1) > 1e-6 and "has another ratio" or nil
end

t:is_true("bench.lua", #got == #wanted, ("gives %d rows, %d are wanted:\n%s"):format(#got, #wanted, table_text))
for i, row in ipairs(got) do
    local why = fault(row, wanted[i] or {})
    t:is_true(row.engine .. ": " .. row.name, not why, why)
end
t:finish()
