import { PRELUDE } from "./take.lua.ts";

/**
 * Copies of key records, made so that none outlives a change that was acknowledged (docs/consistency.md):
 *
 * - Who finds no copy gets a lease, reads the database and keeps a copy only if the lease is still there.
 * - A change removes copy and lease and puts up a mark before it commits, and removes all three after it.
 *   Under a mark there are no leases.
 * - Copy and lease name the history (replication id) of the server that made them. After a failover to a replica that
 *   lags behind, or a restart from an old file, what comes back is of another history and is not believed. Nor is
 *   anything that a replica has, which may have been the primary, or that was read from another database: a second
 *   deployment on the same Redis has a history of its own.
 * - A copy that is no longer young is believed only by who follows the changes that the database lists, on this history
 *   and since before the copy was made (changes-follower.ts).
 */
const HISTORY_FUNCTION = `
-- Under 'none' there are no copies: a server that was a primary keeps them, its connections and for a while its id.
local function history(database)
  local told = redis.call('INFO', 'replication')
  local id = string.find(told, 'role:master', 1, true) and string.match(told, 'master_replid:(%x+)')
  return id and id .. '/' .. database or 'none'
end
`;

const COPIES_PRELUDE = `${PRELUDE}${HISTORY_FUNCTION}
-- The fields of a hash. What is no hash is none of ours: it is removed, and has no fields.
local function fields(key, ...)
  local saved = redis.pcall('HMGET', key, ...)
  if not saved.err then return saved end
  if not string.find(saved.err, '^WRONGTYPE') then return redis.call('HMGET', key, ...) end
  redis.call('DEL', key)
  return {}
end

local function believes(at, now, young, follows, since)
  at = tonumber(at)
  return at and at <= now and (now - at < young or (follows and at >= since))
end

-- A usable secret key spends as soon as it is seen: spendsOnSight of domain/keys/status.ts. A publishable one only
-- where its user was accepted already, by the copy that the caller has and that still is the key's.
local function spend(budget, dead, exp, pk, rpm, rph, burst, spending, isKnown, now, grace)
  local usable = dead == '0' and (exp == '' or now < tonumber(exp))
  if not usable or spending == '0' or (pk == '1' and not (spending == '2' and isKnown)) then return end
  return take(budget, tonumber(rpm), tonumber(rph), tonumber(burst), true, now, grace)
end
`;

/**
 * Looks for any number of keys: what is done once for all of them costs as much as a key does. The answer is one text
 * and not a list of lists, which its reader would take several times as long to take apart.
 */
export const PRESENT_SCRIPT = `${COPIES_PRELUDE}
-- KEYS     record, budget, guard; for each key that is looked for
-- ARGV     lease token, ms of a lease, for tests the time or '', ms for which a copy is young,
--          the history whose changes the caller follows or '', since when and until when in ms, the database's id;
--          for each key 0 to spend nothing, 1 to spend what a secret key spends, 2 what a publishable one does, too;
--          and directly after it the id of the copy that the caller has, if any
-- returns  {told, records...}; told is words with a blank between: now, and for each key six:
--          what was found (none, lease: none, and the lease was granted, known: the copy that the caller has, other: one
--          whose record is the next of the records), the copy's id, limit, remaining, reset ms, wait ms; - if there is none
local now, grace = clock(ARGV[3])
local history = history(ARGV[8])
local young, since = tonumber(ARGV[4]), tonumber(ARGV[6])
local follows = ARGV[5] == history and now < tonumber(ARGV[7])
local reply = {''}
local told = {string.format('%.0f', now)}
for n = 1, #KEYS / 3 do
  local record, budget, guard = KEYS[3 * n - 2], KEYS[3 * n - 1], KEYS[3 * n]
  local spending, known = string.sub(ARGV[n + 8], 1, 1), string.sub(ARGV[n + 8], 2)
  local copy = fields(record, 'id', 'history', 'dead', 'exp', 'pk', 'rpm', 'rph', 'burst', 'at')
  local isKnown = copy[1] == known
  local isBelieved = history ~= 'none' and copy[2] == history and believes(copy[9], now, young, follows, since)
  local text = isBelieved and (isKnown or redis.call('HGET', record, 'v3'))
  if not text then
    local granted = redis.call('SET', guard, 'lease:' .. ARGV[1] .. ':' .. history, 'NX', 'PX', ARGV[2])
    told[n + 1] = (granted and 'lease' or 'none') .. ' - - - - -'
  else
    local found = isKnown and 'known - ' or 'other ' .. (copy[1] or '-') .. ' '
    if not isKnown then reply[#reply + 1] = text end
    local limit, left, reset, wait =
      spend(budget, copy[3], copy[4], copy[5], copy[6], copy[7], copy[8], spending, isKnown, now, grace)
    told[n + 1] = found .. (limit and string.format('%.0f %.0f %.0f %.0f', limit, left, reset, wait) or '- - - -')
  end
end
reply[1] = table.concat(told, ' ')
return reply
`;

/** Keeps copies of any number of keys. */
export const KEEP_SCRIPT = `${COPIES_PRELUDE}
-- KEYS     record, budget, guard; for each key
-- ARGV     ms of a copy, for tests the time or '', the database's id; for each key lease token or '', 1 to spend, record, 1 if revoked or
--          disabled, expiry in ms or '', 1 if publishable, requests per minute, requests per hour, burst size
-- returns  {now, answers...}, an answer for each key: {limit, remaining, reset ms, wait ms} if spent, else {}
local now, grace = clock(ARGV[2])
local history = history(ARGV[3])
local answers = {now}
for n = 1, #KEYS / 3 do
  local record, budget, guard = KEYS[3 * n - 2], KEYS[3 * n - 1], KEYS[3 * n]
  local lease, spending, text, dead, exp, pk, rpm, rph, burst = unpack(ARGV, 9 * n - 5, 9 * n + 3)
  if lease ~= '' and history ~= 'none' and redis.pcall('GET', guard) == 'lease:' .. lease .. ':' .. history then
    redis.call('DEL', record, guard)
    redis.call('HSET', record, 'id', lease, 'history', history, 'dead', dead, 'exp', exp, 'pk', pk,
      'rpm', rpm, 'rph', rph, 'burst', burst, 'at', string.format('%.0f', now), 'v3', text)
    redis.call('PEXPIRE', record, ARGV[1])
  end
  answers[n + 1] = {spend(budget, dead, exp, pk, rpm, rph, burst, spending, false, now, grace)}
end
return answers
`;

/** Without the prelude: also a Redis that is full can remove a copy. */
export const BEGIN_CHANGE_SCRIPT = `
-- KEYS  record, guard
-- ARGV  the change's token, ms of its mark
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], 'change:' .. ARGV[1], 'PX', ARGV[2])
`;

/** Leaves the mark of a later change alone. Without the prelude, as above. */
export const END_CHANGE_SCRIPT = `${HISTORY_FUNCTION}
-- KEYS     record, guard
-- ARGV     the change's token; '' for a change of somebody else, whose mark stays; the database's id
-- returns  the history of this server
redis.call('DEL', KEYS[1])
local guard = redis.pcall('GET', KEYS[2])
if type(guard) ~= 'string' or guard:sub(1, 7) ~= 'change:' or guard == 'change:' .. ARGV[1] then
  redis.call('DEL', KEYS[2])
end
return history(ARGV[2])
`;

/**
 * Asked every second, whether or not anybody calls. So its answer ends an absence of Redis, and must not come where
 * requests are refused: it does whatever the other scripts do.
 */
export const ORIGIN_SCRIPT = `${COPIES_PRELUDE}
-- KEYS     record, budget; of no key, and gone in the end
-- ARGV     the database's id, for tests the time
-- returns  {history, now}
local now, grace = clock(ARGV[2])
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'at', now)
redis.call('PEXPIRE', KEYS[1], 1000)
fields(KEYS[1], 'at')
redis.call('HGET', KEYS[1], 'at')
take(KEYS[2], 1, 0, 0, true, now, grace)
redis.call('DEL', KEYS[1], KEYS[2])
return {history(ARGV[1]), string.format('%.0f', now)}
`;
