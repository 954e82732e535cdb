-- csv.lua: reads the small CSV files of this folder: quotes, no line breaks in a field.

local csv = {}

local function fields(line)
  local out, at = {}, 1
  while at <= #line + 1 do
    local field
    if line:sub(at, at) == '"' then
      local parts, from = {}, at + 1
      while true do
        local quote = assert(line:find('"', from, true), "a quote is not closed: " .. line)
        parts[#parts + 1] = line:sub(from, quote - 1)
        if line:sub(quote + 1, quote + 1) ~= '"' then at = quote + 2 break end
        parts[#parts + 1] = '"'
        from = quote + 2
      end
      field = table.concat(parts)
    else
      local comma = line:find(",", at, true) or #line + 1
      field = line:sub(at, comma - 1)
      at = comma + 1
    end
    out[#out + 1] = field
  end
  return out
end

-- The rows of a file as tables by column name, in the file's order.
function csv.read(path)
  local rows, names = {}, nil
  for line in assert(io.open(path)):lines() do
    local cells = fields((line:gsub("\r$", "")))
    if not names then
      names = cells
    else
      local row = {}
      for i, name in ipairs(names) do row[name] = cells[i] or "" end
      rows[#rows + 1] = row
    end
  end
  return rows
end

-- "M=64;dtype=f16;cached" as a table: numbers where the text is one, strings otherwise.
function csv.config(text)
  local out = {}
  for item in text:gmatch("[^;]+") do
    local key, value = item:match("^([^=]+)=(.*)$")
    if key then out[key] = tonumber(value) or value end
  end
  return out
end

return csv
