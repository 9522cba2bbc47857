/** How many users of a key, and of a tenant's keys together, have budgets of their own in a window. */
export interface UsersMax {
  readonly ofKey: number;
  readonly ofTenant: number;
}

export const USERS_MAX: UsersMax = { ofKey: 100_000, ofTenant: 200_000 };

/**
 * The Lua function `mayKeep`, for the script of `take.lua.ts`: whether a user's budget is stored. Otherwise a tenant could fill
 * Redis, and with it everyone's limits, by users that it makes up.
 *
 * It counts the users of a window, which is an hour, or as long as a budget of the limit takes to fill. No budget lives for longer
 * after its last use, so Redis has those of two windows at most. A user counts once in a window: whether it has been seen is
 * in its own state, which has the time of its last use.
 */
export function mayKeepFunction({ ofKey, ofTenant }: UsersMax): string {
  return `
local USERS_OF_KEY, USERS_OF_TENANT, WINDOW, WINDOW_BYTES = ${ofKey}, ${ofTenant}, '<ddd', 24

-- A window of users as of now: its start, its length, and how many it counts.
local function usersOf(name, length, now)
  local saved = redis.pcall('GET', name)
  if type(saved) ~= 'string' or #saved ~= WINDOW_BYTES then return now, length, 0 end
  local start, longest, count = struct.unpack(WINDOW, saved)
  if now < start or now - start >= longest then return now, length, 0 end
  return start, math.max(length, longest), count
end

-- Whether a user who was last seen at an instant has not been seen in the window.
local function isNew(at, start, count)
  return count == 0 or at < start
end

local function countUser(name, start, length, count, now, grace)
  redis.call('SET', name, struct.pack(WINDOW, start, length, count + 1), 'PX', math.ceil(start + length - now) + grace)
end

-- key  the user's budget; ofKey, ofTenant  the windows of its key and its tenant; rpm, rph, burst  the user's limit
-- returns  whether it may be kept, and for countUse when it was used before, and both windows
local function mayKeep(key, ofKey, ofTenant, rpm, rph, burst, now)
  local capacity, refill = bucketOf(rpm, rph, burst)
  local length = math.max(HOUR_MS, math.ceil(capacity * TOKEN / refill))
  local at = load(key)
  local start, longest, count = usersOf(ofKey, length, now)
  local start2, longest2, count2 = usersOf(ofTenant, length, now)
  local isFull = (isNew(at, start, count) and count >= USERS_OF_KEY)
    or (isNew(at, start2, count2) and count2 >= USERS_OF_TENANT)
  return not isFull, at, start, longest, count, start2, longest2, count2
end

-- Counts the user after a decision. A new user who was denied is forgotten at once, and must not keep others out.
local function countUse(ofKey, ofTenant, wait, now, grace, at, start, longest, count, start2, longest2, count2)
  if wait > 0 and at == 0 then return end
  if isNew(at, start, count) then countUser(ofKey, start, longest, count, now, grace) end
  if isNew(at, start2, count2) then countUser(ofTenant, start2, longest2, count2, now, grace) end
end
`;
}
