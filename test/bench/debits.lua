-- Debits with distinct references for wrk: each request another reference, each a random user.
-- Arguments: a file (lines: the body before the user, between user and reference, after the
-- reference, then one user a line) and a label that no other run uses. `done` prints one JSON line.
-- The request is built by hand: wrk.format would cost more than the rest of this script.

local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  local lines = {}
  for line in io.lines(args[1]) do lines[#lines + 1] = line end
  before, between, after = lines[1], lines[2], lines[3]
  users = {}
  for index = 4, #lines do users[#users + 1] = lines[index] end
  reference = string.format("%s-%d-", args[2], number)
  count = 0
  math.randomseed(number + 1)
  -- Every user id and every reference has the same length, so this holds for all requests.
  local length = #before + #users[1] + #between + #reference + 9 + #after
  head = table.concat({
    "POST ", wrk.path, " HTTP/1.1\r\nHost: ", wrk.host, ":", wrk.port,
    "\r\nContent-Type: application/json\r\nContent-Length: ", length, "\r\n\r\n", before,
  })
end

function request()
  count = count + 1
  local user = users[math.random(#users)]
  return head .. user .. between .. reference .. string.format("%09d", count) .. after
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"answers":%d,"refused":%d,"broken":%d,"durationMicros":%d,"medianMicros":%d,"p99Micros":%d}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration, latency:percentile(50), latency:percentile(99)
  ))
end
