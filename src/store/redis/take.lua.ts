/**
 * The Lua function `take(key, rpm, rph, burst, spending, now, grace)`, for the scripts of this folder.
 *
 * It is `take` of `domain/limits/limiter.ts`, word for word; read the reasons there. Redis runs a script alone, so reading,
 * deciding and writing is one atomic step for all replicas, on Redis' own clock.
 *
 * Lua computes in the same doubles as JavaScript and every value is an integer below 2^53, so both agree exactly. Mind
 * that Lua prints numbers with 14 digits: the bucket's level must be written with `%.0f`.
 */
const TAKE_FUNCTION = `
-- The fields of a hash; none of what is no hash, and none of ours, which is removed.
local function fields(key, ...)
  local saved = redis.pcall('HMGET', key, ...)
  if not saved.err then return saved end
  if not string.find(saved.err, '^WRONGTYPE') then return redis.call('HMGET', key, ...) end
  redis.call('DEL', key)
  return {}
end

-- key      the budget's state: a hash, gone when idle
-- rpm, rph, burst  the limit, integers
-- spending whether to spend a request or only to look
-- now, grace  see clock
-- returns  {limit, remaining, reset ms, wait ms}, all integers; wait 0 is admitted
local MINUTE_MS, HOUR_MS, TOKEN, UNLIMITED = 60000, 3600000, 3600000, 2147483647

local function take(key, rpm, rph, burst, spending, now, grace)
  if rpm == 0 and rph == 0 then return {UNLIMITED, UNLIMITED, now, 0} end

  local capacity = burst
  if capacity == 0 then capacity = rpm end
  if capacity == 0 then capacity = rph end
  local refill = rph
  if rpm > 0 then refill = rpm * (TOKEN / MINUTE_MS) end

  -- An absent key reads as zeros: growing from no capacity fills its bucket. So does what is none of ours.
  local saved = fields(key, 'at', 'ms', 'mc', 'hs', 'hc', 'lv', 'cp')
  for i = 1, 7 do saved[i] = tonumber(saved[i] or 0) or 0 end
  local at, oldCapacity = saved[1], saved[7]
  local minute, hour = {start = saved[2], count = saved[3]}, {start = saved[4], count = saved[5]}

  -- Advance to now. A clock that stepped back is no time passed: all moves with it.
  local back, elapsed = math.max(0, at - now), math.max(0, now - at)
  local function roll(window, length)
    window.start = window.start - back
    if now - window.start >= length then window.count = 0 end
    if window.count == 0 then window.start = 0 end
  end
  roll(minute, MINUTE_MS)
  roll(hour, HOUR_MS)
  local grown = math.max(0, capacity - oldCapacity) * TOKEN
  local level = math.min(capacity * TOKEN, saved[6] + grown + elapsed * refill)

  -- How each constraint stands.
  local function standing(window, length, cap)
    local reset = now
    if window.count > 0 then reset = window.start + length end
    local remaining, wait = math.max(0, cap - window.count), 0
    if remaining == 0 then wait = reset - now end
    return {cap, remaining, reset, wait}
  end
  local function bucketFull() return now + math.ceil((capacity * TOKEN - level) / refill) end
  local function constraints()
    local all = {}
    if rpm > 0 then all[#all + 1] = standing(minute, MINUTE_MS, rpm) end
    if rph > 0 then all[#all + 1] = standing(hour, HOUR_MS, rph) end
    all[#all + 1] = {
      capacity, math.floor(level / TOKEN), bucketFull(), math.ceil(math.max(0, TOKEN - level) / refill)
    }
    return all
  end

  -- The one that denies for longest; if none does, spend, and tell the one with the fewest requests remaining.
  local told
  for _, c in ipairs(constraints()) do
    if c[4] > 0 and (not told or c[4] > told[4]) then told = c end
  end
  local denied = told ~= nil
  if not denied and spending then
    if rpm > 0 then
      if minute.count == 0 then minute.start = now end
      minute.count = minute.count + 1
    end
    if rph > 0 then
      if hour.count == 0 then hour.start = now end
      hour.count = hour.count + 1
    end
    level = level - TOKEN
  end
  if not denied then
    for _, c in ipairs(constraints()) do
      if not told or c[2] < told[2] or (c[2] == told[2] and c[3] > told[3]) then told = c end
    end
    told[4] = 0
  end
  if not spending then return told end

  -- Also after a denial: time passed, and a clock that steps back must not take it away again.
  local function text(n) return string.format('%.0f', n) end
  redis.call('HSET', key, 'at', text(now), 'ms', text(minute.start), 'mc', text(minute.count),
    'hs', text(hour.start), 'hc', text(hour.count), 'lv', text(level), 'cp', text(capacity))
  local idle = bucketFull()
  if minute.count > 0 then idle = math.max(idle, minute.start + MINUTE_MS) end
  if hour.count > 0 then idle = math.max(idle, hour.start + HOUR_MS) end
  redis.call('PEXPIRE', key, text(idle - now + grace))
  return told
end
`;

/** The Lua function `clock(given)`: the time in ms, and how much longer than that to keep what expires. */
const CLOCK_FUNCTION = `
local function clock(given)
  -- For tests. Redis expires by its own clock, which knows nothing of theirs.
  if given then return tonumber(given), 3600000 end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000), 0
end
`;

/** What every script of this folder begins with. */
export const PRELUDE = `${CLOCK_FUNCTION}${TAKE_FUNCTION}`;

export const TAKE_SCRIPT = `${PRELUDE}
-- KEYS[1]  the budget
-- ARGV     requests per minute, requests per hour, burst size, 1 to spend or 0 to look, for tests the time
local now, grace = clock(ARGV[5])
return take(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1', now, grace)
`;
