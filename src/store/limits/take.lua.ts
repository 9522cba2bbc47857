import { mayKeepFunction, type UsersMax } from "./users-max.lua.ts";

/**
 * The Lua functions `take` and `takeBoth`, for the script of this file.
 *
 * They follow `take` of `domain/limits/budget.ts` step by step; the reasons are there. Redis runs one script at a time,
 * so reading, deciding and writing is one atomic step for all replicas, on Redis' own clock.
 *
 * Lua computes in the same doubles as JavaScript, and every value is an integer below 2^53, so both agree exactly. The
 * state is stored as seven doubles, too, which takes a third of the memory of a hash of decimal texts. The code uses no
 * tables and no closures, because Redis has one core for all replicas.
 */
const TAKE_FUNCTIONS = `
local MINUTE_MS, HOUR_MS, TOKEN, UNLIMITED, NEVER = 60000, 3600000, 3600000, 2147483647, 9007199254740991
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

-- The bucket of a limit: its capacity, and how much it refills per ms.
local function bucketOf(rpm, rph, burst)
  local capacity, refill = burst, rph
  if capacity == 0 then capacity = rpm end
  if capacity == 0 then capacity = rph end
  if rpm > 0 then refill = rpm * (TOKEN / MINUTE_MS) end
  return capacity, refill
end

-- A budget as of now: start and count of the minute, of the hour, level. If the clock stepped back, no time has passed, and
-- everything moves back with it.
local function advance(key, capacity, refill, burst, shared, now)
  local at, minute, inMinute, hour, inHour, level, oldCapacity = load(key)
  local back, elapsed = math.max(0, at - now), math.max(0, now - at)
  minute, inMinute = roll(minute, inMinute, MINUTE_MS, now, back)
  hour, inHour = roll(hour, inHour, HOUR_MS, now, back)
  local grown = 0
  if not shared or burst == 0 or oldCapacity == 0 then grown = math.max(0, capacity - oldCapacity) * TOKEN end
  return minute, inMinute, hour, inHour, math.min(capacity * TOKEN, level + grown + elapsed * refill)
end

-- The state of a window: remaining, reset, wait.
local function window(start, count, length, cap, cost, now)
  local left, reset = math.max(0, cap - count), now
  if count > 0 then reset = start + length end
  if left >= cost then return left, reset, 0 end
  if cost > cap then return left, reset, NEVER end
  return left, reset, reset - now
end

local function bucketFull(level, capacity, refill, now)
  return now + math.ceil((capacity * TOKEN - level) / refill)
end

-- The wait for the bucket.
local function bucketWait(level, capacity, refill, cost)
  if cost > capacity then return NEVER end
  if level >= cost * TOKEN then return 0 end
  return math.ceil((cost * TOKEN - level) / refill)
end

-- Of minute and hour the one with fewer remaining, of two equal the hour: limit, remaining, reset; and the longest wait of
-- both and of the bucket. With cost 0 nothing waits.
local function standing(rpm, rph, capacity, refill, cost, now, minute, inMinute, hour, inHour, level)
  local wait = bucketWait(level, capacity, refill, cost)
  local limit, left, reset
  if rpm > 0 then
    local waitMinute
    limit = rpm
    left, reset, waitMinute = window(minute, inMinute, MINUTE_MS, rpm, cost, now)
    wait = math.max(wait, waitMinute)
  end
  if rph > 0 then
    local leftHour, resetHour, waitHour = window(hour, inHour, HOUR_MS, rph, cost, now)
    wait = math.max(wait, waitHour)
    if not limit or leftHour <= left then limit, left, reset = rph, leftHour, resetHour end
  end
  return limit, left, reset, wait
end

-- What a denied caller sees of when the window resets: no sooner than a retry is admitted.
local function denied(reset, wait, now)
  if wait == NEVER then return reset end
  return math.max(reset, now + wait)
end

-- A budget after a request: start and count of the minute, of the hour, level.
local function spend(rpm, rph, cost, now, minute, inMinute, hour, inHour, level)
  if rpm > 0 then
    if inMinute == 0 then minute = now end
    inMinute = inMinute + cost
  end
  if rph > 0 then
    if inHour == 0 then hour = now end
    inHour = inHour + cost
  end
  return minute, inMinute, hour, inHour, level - cost * TOKEN
end

-- It expires when idle; an expiry of 0 would be an error.
local function save(key, capacity, refill, now, grace, minute, inMinute, hour, inHour, level)
  local idle = bucketFull(level, capacity, refill, now)
  if inMinute > 0 then idle = math.max(idle, minute + MINUTE_MS) end
  if inHour > 0 then idle = math.max(idle, hour + HOUR_MS) end
  local state = struct.pack(STATE, now, minute, inMinute, hour, inHour, level, capacity)
  redis.call('SET', key, state, 'PX', math.max(1, idle - now) + grace)
end

-- key      the budget's state
-- rpm, rph, burst  the limit, integers
-- cost     as how many requests it counts; 0 to return the state only
-- shared   whether a larger bucket of a burst size is not filled up
-- now, grace  see clock
-- returns  limit, remaining, reset ms, wait ms: integers; a request with wait 0 is admitted. With cost 0 the fourth is how many
--          requests would be admitted at once
local function take(key, rpm, rph, burst, cost, shared, now, grace)
  if rpm == 0 and rph == 0 then return UNLIMITED, UNLIMITED, now, cost == 0 and UNLIMITED or 0 end
  local capacity, refill = bucketOf(rpm, rph, burst)
  local minute, inMinute, hour, inHour, level = advance(key, capacity, refill, burst, shared, now)
  local limit, left, reset, wait =
    standing(rpm, rph, capacity, refill, cost, now, minute, inMinute, hour, inHour, level)
  if cost == 0 then return limit, left, reset, math.min(left, math.floor(level / TOKEN)) end

  if wait == 0 then
    minute, inMinute, hour, inHour, level = spend(rpm, rph, cost, now, minute, inMinute, hour, inHour, level)
    limit, left, reset = standing(rpm, rph, capacity, refill, 0, now, minute, inMinute, hour, inHour, level)
  else
    left, reset = 0, denied(reset, wait, now)
  end
  -- Saved after a denial, too: time has passed, and a clock that steps back must not undo that.
  save(key, capacity, refill, now, grace, minute, inMinute, hour, inHour, level)
  return limit, left, reset, wait
end

-- The same for a key's budget and a user's, both with a limit: spends from both, or from none. The names that end in 2 are
-- of the user's. Also returns 1 if what it returns is the user's, else 0.
local function takeBoth(key, rpm, rph, burst, key2, rpm2, rph2, burst2, cost, shared, now, grace)
  local capacity, refill = bucketOf(rpm, rph, burst)
  local capacity2, refill2 = bucketOf(rpm2, rph2, burst2)
  local minute, inMinute, hour, inHour, level = advance(key, capacity, refill, burst, shared, now)
  local minute2, inMinute2, hour2, inHour2, level2 = advance(key2, capacity2, refill2, burst2, shared, now)
  local limit, left, reset, wait =
    standing(rpm, rph, capacity, refill, cost, now, minute, inMinute, hour, inHour, level)
  local limit2, left2, reset2, wait2 =
    standing(rpm2, rph2, capacity2, refill2, cost, now, minute2, inMinute2, hour2, inHour2, level2)

  if wait == 0 and wait2 == 0 then
    minute, inMinute, hour, inHour, level = spend(rpm, rph, cost, now, minute, inMinute, hour, inHour, level)
    minute2, inMinute2, hour2, inHour2, level2 =
      spend(rpm2, rph2, cost, now, minute2, inMinute2, hour2, inHour2, level2)
    limit, left, reset = standing(rpm, rph, capacity, refill, 0, now, minute, inMinute, hour, inHour, level)
    limit2, left2, reset2 =
      standing(rpm2, rph2, capacity2, refill2, 0, now, minute2, inMinute2, hour2, inHour2, level2)
  end
  -- Of two that deny the one that does so for longer; else the one with fewer remaining, of two the one that resets later.
  local second = wait2 > wait or (wait == 0 and wait2 == 0 and (left2 < left or (left2 == left and reset2 > reset)))
  if wait > 0 or wait2 > 0 then left, reset, left2, reset2 = 0, denied(reset, wait, now), 0, denied(reset2, wait2, now) end
  save(key, capacity, refill, now, grace, minute, inMinute, hour, inHour, level)
  save(key2, capacity2, refill2, now, grace, minute2, inMinute2, hour2, inHour2, level2)
  if second then return limit2, left2, reset2, wait2, 1 end
  return limit, left, reset, wait, 0
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
 * The beginning of the scripts that spend from budgets.
 *
 * With a first line like this one (Redis 7), Redis rejects the whole script if it would reject any write: if it is
 * full, is a replica, or has too few replicas. Otherwise a call that happens to write nothing, as for a key without a
 * limit, would succeed, and the circuit breaker would not notice that limits cannot be stored.
 */
export const PRELUDE = `#!lua
${CLOCK_FUNCTION}${TAKE_FUNCTIONS}`;

export const takeScript = (usersMax: UsersMax): string => `${PRELUDE}${mayKeepFunction(usersMax)}
-- KEYS     for each request its key's budget, and if it has a user the user's and the windows of users of its key and its tenant
-- ARGV     for tests the time or '', the number of requests; for each of them requests per minute, requests per hour, burst
--          size, its cost or 0 to return the state only, 1 if its budgets are shared, 1 if it has a user, and if so the same
--          three of the user's limit
-- returns  for each request limit, remaining, reset ms, wait ms, 1 if they are the user's (see take): one string, which its reader
--          parses several times as fast as a list of lists
local now, grace = clock(ARGV[1])
local words = {}
local k, v = 1, 3
for n = 1, tonumber(ARGV[2]) do
  local rpm, rph, burst, cost, shared, user = unpack(ARGV, v, v + 5)
  rpm, rph, burst, cost, shared = tonumber(rpm), tonumber(rph), tonumber(burst), tonumber(cost), shared == '1'
  local limit, left, reset, wait, ofUser
  if user == '1' then
    local rpm2, rph2, burst2 = tonumber(ARGV[v + 6]), tonumber(ARGV[v + 7]), tonumber(ARGV[v + 8])
    local isKept, at, start, longest, count, start2, longest2, count2 = false
    if rpm2 > 0 or rph2 > 0 then
      isKept, at, start, longest, count, start2, longest2, count2 =
        mayKeep(KEYS[k + 1], KEYS[k + 2], KEYS[k + 3], rpm2, rph2, burst2, now)
    end
    if not isKept then
      limit, left, reset, wait = take(KEYS[k], rpm, rph, burst, cost, shared, now, grace)
    elseif rpm == 0 and rph == 0 then
      limit, left, reset, wait = take(KEYS[k + 1], rpm2, rph2, burst2, cost, shared, now, grace)
      ofUser = 1
    else
      limit, left, reset, wait, ofUser = takeBoth(
        KEYS[k], rpm, rph, burst, KEYS[k + 1], rpm2, rph2, burst2, cost, shared, now, grace)
    end
    if isKept then
      countUse(KEYS[k + 2], KEYS[k + 3], wait, now, grace, at, start, longest, count, start2, longest2, count2)
    end
    k, v = k + 4, v + 9
  else
    limit, left, reset, wait = take(KEYS[k], rpm, rph, burst, cost, shared, now, grace)
    k, v = k + 1, v + 6
  end
  words[n] = string.format('%.0f %.0f %.0f %.0f %d', limit, left, reset, wait, ofUser or 0)
end
return table.concat(words, ' ')
`;
