/**
 * The Lua function `take(key, rpm, rph, burst, spending, now, grace)`, for the scripts of this folder.
 *
 * It follows `take` of `domain/limits/budget.ts` step by step; the reasons are there. Redis runs one script at a time,
 * so reading, deciding and writing is one atomic step for all replicas, on Redis' own clock.
 *
 * Lua computes in the same doubles as JavaScript, and every value is an integer below 2^53, so both agree exactly. The
 * state is stored as seven doubles, too, which takes a third of the memory of a hash of decimal texts. The code uses no
 * tables and no closures, because Redis has one core for all replicas.
 */
const TAKE_FUNCTION = `
local MINUTE_MS, HOUR_MS, TOKEN, UNLIMITED = 60000, 3600000, 3600000, 2147483647
local STATE, STATE_BYTES = '<ddddddd', 56

-- The state of a budget: at, start and count of the minute, of the hour, level, capacity. A missing state reads as zeros:
-- growing from capacity 0 fills its bucket. A value that is not ours reads the same.
local function load(key)
  local saved = redis.pcall('GET', key)
  if type(saved) == 'string' and #saved == STATE_BYTES then return struct.unpack(STATE, saved) end
  if type(saved) == 'table' and not string.find(saved.err, '^WRONGTYPE') then redis.call('GET', key) end
  return 0, 0, 0, 0, 0, 0, 0
end

-- A window as of now: its start, and how many requests it counts. If the clock stepped back, the window moves back with it.
local function roll(start, count, length, now, back)
  start = start - back
  if count == 0 or now - start >= length then return 0, 0 end
  return start, count
end

-- The state of a window: remaining, reset, wait.
local function window(start, count, length, cap, now)
  local reset = now
  if count > 0 then reset = start + length end
  if count < cap then return cap - count, reset, 0 end
  return 0, reset, reset - now
end

local function bucketFull(level, capacity, refill, now)
  return now + math.ceil((capacity * TOKEN - level) / refill)
end

-- The state of the bucket: remaining, reset, wait.
local function bucket(level, capacity, refill, now)
  local wait = 0
  if level < TOKEN then wait = math.ceil((TOKEN - level) / refill) end
  return math.floor(level / TOKEN), bucketFull(level, capacity, refill, now), wait
end

-- Whether the second of two constraints is the tighter one: it denies for longer, else has fewer remaining, else resets
-- later.
local function tighter(left, reset, wait, left2, reset2, wait2)
  if wait2 ~= wait then return wait2 > wait end
  return wait == 0 and (left2 < left or (left2 == left and reset2 > reset))
end

-- The tightest of minute, hour and bucket: limit, remaining, reset, wait. Waits count only if denying.
local function standing(rpm, rph, capacity, refill, now, denying, minute, inMinute, hour, inHour, level)
  local limit, left, reset, wait
  if rpm > 0 then
    limit = rpm
    left, reset, wait = window(minute, inMinute, MINUTE_MS, rpm, now)
    if not denying then wait = 0 end
  end
  if rph > 0 then
    local left2, reset2, wait2 = window(hour, inHour, HOUR_MS, rph, now)
    if not denying then wait2 = 0 end
    if not limit or tighter(left, reset, wait, left2, reset2, wait2) then
      limit, left, reset, wait = rph, left2, reset2, wait2
    end
  end
  local left2, reset2, wait2 = bucket(level, capacity, refill, now)
  if not denying then wait2 = 0 end
  if tighter(left, reset, wait, left2, reset2, wait2) then return capacity, left2, reset2, wait2 end
  return limit, left, reset, wait
end

-- key      the budget's state; it expires when idle
-- rpm, rph, burst  the limit, integers
-- spending true to spend a request, false to return the state only
-- now, grace  see clock
-- returns  limit, remaining, reset ms, wait ms: integers; a request with wait 0 is admitted
local function take(key, rpm, rph, burst, spending, now, grace)
  if rpm == 0 and rph == 0 then return UNLIMITED, UNLIMITED, now, 0 end

  local capacity, refill = burst, rph
  if capacity == 0 then capacity = rpm end
  if capacity == 0 then capacity = rph end
  if rpm > 0 then refill = rpm * (TOKEN / MINUTE_MS) end

  -- Advance to now. If the clock stepped back, no time has passed, and everything moves back with it.
  local at, minute, inMinute, hour, inHour, level, oldCapacity = load(key)
  local back, elapsed = math.max(0, at - now), math.max(0, now - at)
  minute, inMinute = roll(minute, inMinute, MINUTE_MS, now, back)
  hour, inHour = roll(hour, inHour, HOUR_MS, now, back)
  local grown = math.max(0, capacity - oldCapacity) * TOKEN
  level = math.min(capacity * TOKEN, level + grown + elapsed * refill)

  local limit, left, reset, wait =
    standing(rpm, rph, capacity, refill, now, true, minute, inMinute, hour, inHour, level)
  if not spending then return limit, left, reset, wait end

  if wait == 0 then
    if rpm > 0 then
      if inMinute == 0 then minute = now end
      inMinute = inMinute + 1
    end
    if rph > 0 then
      if inHour == 0 then hour = now end
      inHour = inHour + 1
    end
    level = level - TOKEN
    limit, left, reset = standing(rpm, rph, capacity, refill, now, false, minute, inMinute, hour, inHour, level)
  end

  -- Saved after a denial, too: time has passed, and a clock that steps back must not undo that.
  local idle = bucketFull(level, capacity, refill, now)
  if inMinute > 0 then idle = math.max(idle, minute + MINUTE_MS) end
  if inHour > 0 then idle = math.max(idle, hour + HOUR_MS) end
  local state = struct.pack(STATE, now, minute, inMinute, hour, inHour, level, capacity)
  redis.call('SET', key, state, 'PX', idle - now + grace)
  return limit, left, reset, wait
end
`;

/** The Lua function `clock(given)`: the time in ms, and by how many ms to extend what expires. */
const CLOCK_FUNCTION = `
local function clock(given)
  -- A test's time. Redis expires by its own clock, so with a test's clock entries must live longer.
  if given and given ~= '' then return tonumber(given), 3600000 end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000), 0
end
`;

/**
 * The beginning of the scripts that requests wait for.
 *
 * With a first line like this one (Redis 7), Redis rejects the whole script if it would reject any write: if it is
 * full, is a replica, or has too few replicas. Otherwise a call that happens to write nothing, as for a key without a
 * limit, would succeed, and the circuit breaker would not notice that limits cannot be stored.
 */
const PRELUDE = `#!lua
${CLOCK_FUNCTION}${TAKE_FUNCTION}`;

export const TAKE_SCRIPT = `${PRELUDE}
-- KEYS     the budgets
-- ARGV     for tests the time or ''; for each budget requests per minute, requests per hour, burst size, 1 to spend or 0 to
--          return the state only
-- returns  for each budget limit, remaining, reset ms, wait ms: one string, which its reader parses several times as fast
--          as a list of lists
local now, grace = clock(ARGV[1])
local words = {}
for n = 1, #KEYS do
  local rpm, rph, burst, spending = unpack(ARGV, 4 * n - 2, 4 * n + 1)
  words[n] = string.format('%.0f %.0f %.0f %.0f',
    take(KEYS[n], tonumber(rpm), tonumber(rph), tonumber(burst), spending == '1', now, grace))
end
return table.concat(words, ' ')
`;
