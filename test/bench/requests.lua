-- The requests of the benchmark for wrk. Arguments: a file (clientId, clientSecret, then one user a
-- line), a label that no other run uses, a pattern (load.ts says what each is), and where among the
-- users the pattern "cold" begins. `done` prints one JSON line.
-- Requests are built by hand: wrk.format would cost more than the rest of this script.

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  threads[#threads + 1] = thread
end

function init(args)
  local lines = {}
  for line in io.lines(args[1]) do lines[#lines + 1] = line end
  client, secret = lines[1], lines[2]
  users = {}
  for index = 3, #lines do users[#users + 1] = lines[index] end
  reference, pattern, start = string.format("%s-%d-", args[2], number), args[3], tonumber(args[4])
  count, writes, declines = 0, 0, 0
  math.randomseed(number + 1)
  host = " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port .. "\r\n"
  before = '{"clientId":"' .. client .. '","clientSecret":"' .. secret .. '","serviceUserId":"'
  between = ',"referenceType":"BENCH","referenceId":"'
end

local function write(verb, user, amount, id)
  writes = writes + 1
  local body = before .. user .. '","amount":' .. amount .. between .. id ..
    '","description":"Order ' .. id .. '"}'
  return "POST /api/server/wallet/" .. verb .. host ..
    "Content-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end

local function read(user)
  return "GET /api/server/wallet?clientId=" .. client .. "&clientSecret=" .. secret ..
    "&serviceUserId=" .. user .. host .. "\r\n"
end

function request()
  count = count + 1
  local id = reference .. string.format("%09d", count)
  if pattern == "cold" then
    return write("debit", users[(start + count) % #users + 1], "0.01", id)
  end
  if pattern == "replays" then
    local place = count % math.min(#users, 100) + 1
    return write("debit", users[place], "0.01", "replayed-" .. place)
  end
  local user = users[math.random(#users)]
  if pattern == "reads" then return read(user) end
  if pattern == "debits" then return write("debit", user, "0.01", id) end
  local share = math.random(100)
  if share <= 70 then return read(user) end
  if share <= 90 then return write("debit", user, "0.01", id) end
  if share <= 98 then return write("credit", user, "0.01", id) end
  declines = declines + 1
  return write("debit", user, "1000000", id)
end

function done(summary, latency)
  local errors = summary.errors
  local writes, declines = 0, 0
  for _, thread in ipairs(threads) do
    writes, declines = writes + thread:get("writes"), declines + thread:get("declines")
  end
  io.write(string.format(
    '{"answers":%d,"refused":%d,"broken":%d,"writes":%d,"declines":%d,"durationMicros":%d,' ..
    '"medianMicros":%d,"p99Micros":%d}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    writes, declines, summary.duration, latency:percentile(50), latency:percentile(99)
  ))
end
