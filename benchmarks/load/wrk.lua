-- The requests of wrk: reads, creations or updates of users. Arguments: operation, number of users, tag, then headers.
local operation, users, tag
local count = 0
local reads = {}

local function address(n) return "user" .. n .. "@example.com" end

local function body(mail, n)
  return '{"email":{"address":"' .. mail .. '"},"password":"correct horse","name":"Jane Doe","plan":"free","visits":' .. n .. "}"
end

function init(args)
  operation, users, tag = args[1], tonumber(args[2]), args[3]
  for i = 4, #args do
    local name, value = args[i]:match("^([^:]+): (.*)$")
    wrk.headers[name] = value
  end
  if operation == "read" then
    -- Spread over all users, and formatted in advance to keep the load generator cheap.
    local many = math.min(users, 5000)
    for i = 0, many - 1 do
      local n = math.floor(i * users / many)
      reads[i + 1] = wrk.format("GET", "/users?email=user" .. n .. "%40example.com")
    end
  end
end

function request()
  count = count + 1
  if operation == "read" then return reads[count % #reads + 1] end
  if operation == "create" then
    return wrk.format("POST", "/users", nil, body(tag .. count .. "@example.com", count))
  end
  return wrk.format("PUT", "/users", nil, body(address(count % users), count))
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\n{"seconds":%.6f,"requests":%d,"failed":%d,"p50":%.4f,"p99":%.4f}\n',
    summary.duration / 1e6, summary.requests, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
