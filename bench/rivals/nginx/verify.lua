-- What a competent team writes by hand for the fastest proxy that it has: the key by its SHA-256, its record in Redis and
-- cached in this process for 10 s (so that a revoked key goes on for so long), a fixed window counted by one script call.
-- `STORE` says where keys are: `redis`, or `memory` (from a file; limits in a shared dictionary, without Redis).

local base64 = require "ngx.base64"
local cjson = require "cjson.safe"
local ffi = require "ffi"
local lrucache = require "resty.lrucache"
local redis = require "nginx.redis"

ffi.cdef "unsigned char *SHA256(const unsigned char *text, size_t bytes, unsigned char *digest);"

local REMEMBERED_S = 10
local REMEMBERED_MAX = 100000
local WINDOW_S = 60
local REDIS_TIMEOUT_MS = 1000
local POOL_IDLE_MS = 60000
local POOL_SIZE = 64
local COUNT = [[
local count = redis.call("INCR", KEYS[1])
if count == 1 then
  redis.call("PEXPIRE", KEYS[1], ARGV[1])
  return {count, tonumber(ARGV[1])}
end
return {count, redis.call("PTTL", KEYS[1])}]]

local host, port = os.getenv("REDIS_HOST"), tonumber(os.getenv("REDIS_PORT"))
local digest = ffi.new("unsigned char[32]")
local remembered = assert(lrucache.new(REMEMBERED_MAX))
local counts = ngx.shared.limits
local count_sha

local function sha256(text)
  ffi.C.SHA256(text, #text, digest)
  return ffi.string(digest, 32)
end

-- Nothing in the answer changes from one request to the next, so its bytes are made once.
local function from_record(record)
  local answer = cjson.encode({
    caller = "CALLER_SECRET_KEY",
    tenant_id = record.tenant_id,
    key_id = record.key_id,
    user_id = "",
    permissions = record.permissions,
  })
  return {
    id = record.key_id,
    limit = record.requests_per_minute,
    expires_at = record.expires_at,
    is_active = not record.disabled_at and not record.revoked_at,
    answer = answer,
    bytes = #answer,
  }
end

local function with_redis(work)
  local client = redis:new()
  client:set_timeout(REDIS_TIMEOUT_MS)
  assert(client:connect(host, port))
  local result, err = work(client)
  if result == nil then
    client:close()
    error(err)
  end
  client:set_keepalive(POOL_IDLE_MS, POOL_SIZE)
  return result
end

local function read_key(hash)
  local text = with_redis(function(client)
    return client:get("latchkey-bench:nginx:key:" .. base64.encode_base64url(hash))
  end)
  return text ~= ngx.null and from_record(assert(cjson.decode(text))) or nil
end

local function count_in_redis(key)
  local name = "latchkey-bench:nginx:count:" .. key.id
  return with_redis(function(client)
    count_sha = count_sha or assert(client:script("load", COUNT))
    local reply, err = client:evalsha(count_sha, 1, name, WINDOW_S * 1000)
    if err and err:find("NOSCRIPT", 1, true) then
      reply, err = client:eval(COUNT, 1, name, WINDOW_S * 1000)
    end
    -- An error that Redis replies with comes as false.
    return reply or nil, err
  end)
end

local function count_in_memory(key)
  local count = assert(counts:incr(key.id, 1, 0, WINDOW_S))
  return { count, 1000 * counts:ttl(key.id) }
end

local function keys_of_file(file)
  local text = assert(io.open(file)):read("*a")
  local given, keys = assert(cjson.decode(text)), {}
  local function add(secrets, limit)
    for n, secret in ipairs(secrets) do
      keys[sha256(secret)] = from_record({
        key_id = "key_" .. limit .. "_" .. n,
        tenant_id = "ten_bench",
        permissions = { "conversations:*" },
        requests_per_minute = limit,
      })
    end
  end
  add(given.secrets, given.noDenialLimit)
  add(given.limited, given.limit)
  return keys
end

local find_key, count_use

if os.getenv("STORE") == "memory" then
  local keys = keys_of_file(os.getenv("KEYS_FILE"))
  find_key = function(hash) return keys[hash] end
  count_use = count_in_memory
else
  find_key = function(hash)
    local known = remembered:get(hash)
    if known then return known end
    local key = read_key(hash)
    if key then remembered:set(hash, key, REMEMBERED_S) end
    return key
  end
  count_use = count_in_redis
end

local function deny(status, reason)
  ngx.status = status
  ngx.print('{"denial_reason":"', reason, '"}')
end

local verify = {}

function verify.answer()
  local secret = ngx.var.http_x_api_key
  local key = secret and find_key(sha256(secret))
  if not key or not key.is_active or (key.expires_at and key.expires_at <= ngx.now()) then
    return deny(401, "unauthorized")
  end
  local headers = ngx.header
  if key.limit > 0 then
    local used = count_use(key)
    local count, left_s = used[1], math.ceil(used[2] / 1000)
    headers["X-RateLimit-Limit"] = key.limit
    headers["X-RateLimit-Remaining"] = math.max(0, key.limit - count)
    headers["X-RateLimit-Reset"] = left_s
    if count > key.limit then
      headers["Retry-After"] = left_s
      return deny(429, "rate_limited")
    end
  end
  headers["Content-Length"] = key.bytes
  ngx.print(key.answer)
end

return verify
