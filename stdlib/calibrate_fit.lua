-- calibrate_fit.lua: up to three positive constants from measured times: a robust fit in logarithms, and which of them
-- the times determine at all.
local fit = {}

local STEP = 0.01       -- of a logarithm, for differences
local NEAR = 0.02       -- residuals up to it count by their square, larger ones by their size: a median rather than a mean
local TAKES_PART = 0.1  -- a row takes part in a constant that moves its time by a tenth of its own movement
fit.rows_needed = 3     -- that take part
fit.worst_error = 0.1   -- standard error of a constant, as a share of it

local function copy(list)
    local new = {}
    for i, value in ipairs(list) do new[i] = value end
    return new
end

function fit.median(list)
    local sorted = copy(list)
    table.sort(sorted)
    local n = #sorted
    if n == 0 then return nil end
    return n % 2 == 1 and sorted[(n + 1) / 2] or (sorted[n / 2] + sorted[n / 2 + 1]) / 2
end

-- log(predicted / measured), a row each.
local function residuals(problem, x)
    local list = {}
    for i, time in ipairs(problem.predict(x)) do list[i] = math.log(time / problem.measured[i]) end
    return list
end

local function badness(list)
    local sum = 0
    for _, r in ipairs(list) do
        r = math.abs(r)
        sum = sum + (r < NEAR and r * r / (2 * NEAR) or r - NEAR / 2)
    end
    return sum
end

local function clamped(problem, c, value)
    return math.max(problem.least[c], math.min(problem.most[c], value))
end

-- d log(time) / d log(constant), a row each: 1, 0 or -1 for one roof alone, between them where it takes part.
local function elasticities(problem, x, c)
    local up, down = copy(x), copy(x)
    up[c], down[c] = clamped(problem, c, x[c] * math.exp(STEP)), clamped(problem, c, x[c] * math.exp(-STEP))
    local span, high, low, list = math.log(up[c] / down[c]), problem.predict(up), problem.predict(down), {}
    for i = 1, #high do list[i] = math.log(high[i] / low[i]) / span end
    return list
end

-- Solves a small symmetric system by elimination with pivots; nil where it is singular.
local function solve(matrix, right)
    local n, a = #right, {}
    for i = 1, n do
        a[i] = copy(matrix[i])
        a[i][n + 1] = right[i]
    end
    for c = 1, n do
        local pivot = c
        for i = c + 1, n do if math.abs(a[i][c]) > math.abs(a[pivot][c]) then pivot = i end end
        if math.abs(a[pivot][c]) < 1e-12 then return nil end
        a[c], a[pivot] = a[pivot], a[c]
        for i = 1, n do
            local factor = i ~= c and a[i][c] / a[c][c] or 0
            for k = c, n + 1 do a[i][k] = a[i][k] - factor * a[c][k] end
        end
    end
    local x = {}
    for i = 1, n do x[i] = a[i][n + 1] / a[i][i] end
    return x
end

-- Sums of products of the columns, each row with its weight.
local function products(columns, weights)
    local sums = {}
    for a = 1, #columns do
        sums[a] = {}
        for b = 1, #columns do
            local sum = 0
            for i, weight in ipairs(weights) do sum = sum + weight * columns[a][i] * columns[b][i] end
            sums[a][b] = sum
        end
    end
    return sums
end

-- Gauss-Newton steps, damped where they do not help; `free`: the constants to move.
local function descend(problem, x, free)
    local now, damping = residuals(problem, x), 1e-3
    for _ = 1, 60 do
        local columns, weights, right = {}, {}, {}
        for i, r in ipairs(now) do weights[i] = 1 / math.max(math.abs(r), NEAR) end
        for k, c in ipairs(free) do columns[k] = elasticities(problem, x, c) end
        local normal = products(columns, weights)
        for k in ipairs(free) do
            right[k] = 0
            for i, r in ipairs(now) do right[k] = right[k] - weights[i] * columns[k][i] * r end
            normal[k][k] = normal[k][k] * (1 + damping) + 1e-9
        end
        local step = solve(normal, right)
        if not step then return x end
        local to, moved = copy(x), 0
        for k, c in ipairs(free) do
            to[c] = clamped(problem, c, x[c] * math.exp(math.max(-1, math.min(1, step[k]))))
            moved = math.max(moved, math.abs(math.log(to[c] / x[c])))
        end
        local next_one = residuals(problem, to)
        if badness(next_one) < badness(now) then
            x, now, damping = to, next_one, damping / 10
        else
            damping = damping * 10
        end
        if moved < 1e-7 or damping > 1e9 then break end
    end
    return x
end

-- How many rows take part in each constant, at x or (where they are given) at any of the other points.
local function participants(problem, x, others)
    local counts = {}
    for c = 1, #x do
        local some = {}
        for _, at in ipairs(others or { x }) do
            for i, e in ipairs(elasticities(problem, at, c)) do some[i] = some[i] or math.abs(e) >= TAKES_PART end
        end
        counts[c] = 0
        for _, takes_part in ipairs(some) do counts[c] = counts[c] + (takes_part and 1 or 0) end
    end
    return counts
end

-- Standard errors of the free constants, as shares of them: of the scatter of the rows, at least NEAR, which no
-- small sample can prove away.  Infinite where the rows don't tell one from another.
local function standard_errors(problem, x, free)
    local sizes, columns, ones, errors = {}, {}, {}, {}
    for i, r in ipairs(residuals(problem, x)) do sizes[i], ones[i] = math.abs(r), 1 end
    local scatter = math.max(NEAR, 1.4826 * fit.median(sizes))
    for k, c in ipairs(free) do columns[k] = elasticities(problem, x, c) end
    local normal = products(columns, ones)
    for k in ipairs(free) do
        local unit = {}
        for i = 1, #free do unit[i] = i == k and 1 or 0 end
        local inverse = solve(normal, unit)
        errors[k] = inverse and inverse[k] > 0 and scatter * math.sqrt(inverse[k]) or math.huge
    end
    return errors
end

local function why_few(count, rows)
    return string.format("it takes a tenth or more of the time of %d of %d rows, and of %d at least it must", count, rows,
        fit.rows_needed)
end

local function why_uncertain(share)
    if share == math.huge then return "the rows do not tell it from the others" end
    return string.format("the rows leave it uncertain by %.0f %%, and %.0f %% is the most", 100 * share, 100 * fit.worst_error)
end

-- One constant the fewer, where one is not determined: the least certain goes back to where it was.  True: one went.
local function drop(problem, found, free)
    local counts, errors, worst = participants(problem, found.x), standard_errors(problem, found.x, free), nil
    for k, c in ipairs(free) do
        found.rows[c], found.error[c] = counts[c], errors[k]
        if counts[c] < fit.rows_needed then errors[k] = math.huge end
        if errors[k] > fit.worst_error and (not worst or errors[k] > errors[worst]) then worst = k end
    end
    if not worst then return false end
    local c = free[worst]
    found.left[c] = counts[c] < fit.rows_needed and why_few(counts[c], #problem.measured) or why_uncertain(found.error[c])
    found.x[c] = problem.start[c]
    return true
end

-- Where a fit starts: where the constants are, and where each takes more of the time: a roof that is too high to bind
-- shows no slope.
local function starts(problem)
    local slower = {}
    for c, x in ipairs(problem.start) do slower[c] = clamped(problem, c, x * problem.slower[c]) end
    return { problem.start, slower }
end

-- The best fit from either; what is not free stays.
local function descend_from(problem, points, free)
    local best, least
    for _, point in ipairs(points) do
        local x = copy(problem.start)
        for _, c in ipairs(free) do x[c] = point[c] end
        x = descend(problem, x, free)
        local bad = badness(residuals(problem, x))
        if not best or bad < least then best, least = x, bad end
    end
    return best
end

-- Fits what the rows determine, and leaves what they do not.
--     problem   predict(x): a list of times, in s, by a list of constants; measured: the same, as they were;
--               start, least, most: of each constant, above 0; slower: a factor by which it takes more time;
--               fixed: by constant, why it can't be fitted
--     gives     x: the constants; left: by constant, why it stands where it was; rows: how many take part;
--               error: its standard error, as a share
function fit.constants(problem)
    local found = { x = copy(problem.start), left = {}, rows = {}, error = {} }
    local points = starts(problem)
    local counts = participants(problem, problem.start, points)
    for c = 1, #problem.start do
        found.left[c] = problem.fixed[c] or counts[c] < fit.rows_needed and why_few(counts[c], #problem.measured) or nil
    end
    for _ = 1, #problem.start do
        local free = {}
        for c = 1, #problem.start do if not found.left[c] then free[#free + 1] = c end end
        if #free == 0 then break end
        found.x = descend_from(problem, points, free)
        if not drop(problem, found, free) then break end
    end
    return found
end

return fit
