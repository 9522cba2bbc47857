import { NEVER_GIVEN_BACK } from "../../domain/limits/limiter.ts";
import { SLICE_DIVISOR } from "../../domain/limits/slice.ts";
import { PRELUDE } from "./take.lua.ts";

/**
 * Takes a slice of a key's budget. It follows `takeSlice` of `domain/limits/slice.ts` step by step, with the functions of the
 * script of requests, and is apart from it, so that no request carries its text or its branches.
 */
export const SLICE_SCRIPT = `${PRELUDE}
-- KEYS     the key's budget
-- ARGV     for tests the time or '', requests per minute, requests per hour, burst size, 1 if the budget is shared, how many
--          requests at most
-- returns  what take returns for a request of the key, then how many requests were taken, for how many ms they may be spent,
--          and when it was, in ms: one string
local now, grace = clock(ARGV[1])
local rpm, rph, burst, most = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[6])
local limit, left, reset, wait, granted, life, taken = UNLIMITED, UNLIMITED, now, 0, most, NEVER, ${NEVER_GIVEN_BACK}
if rpm > 0 or rph > 0 then
  taken = now
  local capacity, refill = bucketOf(rpm, rph, burst)
  local minute, inMinute, hour, inHour, level = advance(KEYS[1], capacity, refill, burst, ARGV[5] == '1', now)
  limit, left, reset, wait = standing(rpm, rph, capacity, refill, 1, now, minute, inMinute, hour, inHour, level)
  if wait == 0 then
    local atOnce = math.min(left, math.floor(level / TOKEN))
    granted = math.min(most, math.max(1, math.floor(atOnce / ${SLICE_DIVISOR})))
    minute, inMinute, hour, inHour, level = spend(rpm, rph, granted, now, minute, inMinute, hour, inHour, level)
    limit, left, reset = standing(rpm, rph, capacity, refill, 0, now, minute, inMinute, hour, inHour, level)
    if rpm > 0 then life = minute + MINUTE_MS - now end
    if rph > 0 then life = math.min(life, hour + HOUR_MS - now) end
  else
    left, reset, granted, life = 0, denied(reset, wait, now), 0, 0
  end
  save(KEYS[1], capacity, refill, now, grace, minute, inMinute, hour, inHour, level)
end
return string.format('%.0f %.0f %.0f %.0f 0 %.0f %.0f %.0f', limit, left, reset, wait, granted, life, taken)
`;

/** Gives back what was not spent of a slice. It follows `giveBack` of `domain/limits/slice.ts` step by step. */
export const GIVE_BACK_SCRIPT = `${PRELUDE}
-- What a window counts without what is given back, unless it opened after the slice was taken.
local function uncounted(start, count, unspent, taken)
  if start > taken then return count end
  return math.max(0, count - unspent)
end

-- KEYS     the key's budget
-- ARGV     for tests the time or '', requests per minute, requests per hour, burst size, 1 if the budget is shared, how many
--          requests were not spent, when the slice was taken
local now, grace = clock(ARGV[1])
local rpm, rph, burst = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local unspent, taken = tonumber(ARGV[6]), tonumber(ARGV[7])
local at = load(KEYS[1])
if at == 0 or taken > now then return end
local capacity, refill = bucketOf(rpm, rph, burst)
local minute, inMinute, hour, inHour, level = advance(KEYS[1], capacity, refill, burst, ARGV[5] == '1', now)
if rpm > 0 then inMinute = uncounted(minute, inMinute, unspent, taken) end
if rph > 0 then inHour = uncounted(hour, inHour, unspent, taken) end
level = math.min(capacity * TOKEN, level + unspent * TOKEN)
save(KEYS[1], capacity, refill, now, grace, minute, inMinute, hour, inHour, level)
`;
