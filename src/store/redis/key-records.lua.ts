import { PRELUDE } from "./take.lua.ts";

/**
 * Caches key records so that no entry outlives an acknowledged change (docs/consistency.md):
 *
 * - A reader that finds no entry gets a lease, reads the database, and stores an entry only if the lease still exists.
 * - A change removes entry and lease and sets a mark before it commits. After the commit it removes all three. While
 *   the mark exists, no leases are given.
 * - Entry and lease contain the history (replication id) of the server that made them. After a failover to a replica
 *   that lags behind, or a restart from an old file, old entries have another history and are not used. Nor are entries
 *   on a replica, which may have been the primary, or entries that were read from another database: a second deployment
 *   on the same Redis has its own history.
 * - An entry that is no longer fresh is used only by a replica that follows the change log, on this history and since
 *   before the entry was stored (change-log-follower.ts).
 */
const HISTORY_FUNCTION = `
-- 'none' means that no entry is used or stored: a former primary keeps its entries, its connections and for a while its id.
local function history(database)
  local info = redis.call('INFO', 'replication')
  local id = string.find(info, 'role:master', 1, true) and string.match(info, 'master_replid:(%x+)')
  return id and id .. '/' .. database or 'none'
end
`;

const ENTRIES_PRELUDE = `${PRELUDE}${HISTORY_FUNCTION}
-- The fields of a hash. A value of another type is not ours: it is removed, and has no fields.
local function fields(key, ...)
  local saved = redis.pcall('HMGET', key, ...)
  if not saved.err then return saved end
  if not string.find(saved.err, '^WRONGTYPE') then return redis.call('HMGET', key, ...) end
  redis.call('DEL', key)
  return {}
end

-- Whether an entry stored at that time may be used: it is fresh, or the caller has followed the change log since then.
local function usable(at, now, fresh, follows, since)
  at = tonumber(at)
  return at and at <= now and (now - at < fresh or (follows and at >= since))
end

-- Spends a request of a usable secret key: spendsOnSight of domain/keys/status.ts. Spends one of a publishable key only if
-- its user was authenticated with the caller's record, and the entry is still that record.
local function spend(budget, dead, exp, pk, rpm, rph, burst, spending, isKnown, now, grace)
  local active = dead == '0' and (exp == '' or now < tonumber(exp))
  if not active or spending == '0' or (pk == '1' and not (spending == '2' and isKnown)) then return end
  return take(budget, tonumber(rpm), tonumber(rph), tonumber(burst), true, now, grace)
end
`;

/**
 * Looks up any number of keys, because the work that is done once per call costs as much as one key. Returns one string
 * and not a list of lists, which would take its reader several times as long to parse.
 */
export const LOOK_UP_SCRIPT = `${ENTRIES_PRELUDE}
-- KEYS     record, budget, guard; for each key
-- ARGV     lease token, ms of a lease, for tests the time or '', ms for which an entry is fresh,
--          the history that the caller follows or '', since when and until when in ms, the database's id;
--          for each key 0 to spend nothing, 1 to spend only for a secret key, 2 also for a publishable one;
--          and directly after it the id of the entry whose record the caller has, if any
-- returns  {words, records...}; words are separated by blanks: now, and for each key six:
--          none (no entry), lease (no entry, and the caller gets the lease), known (the entry whose record the caller has) or
--          other (an entry whose record is the next of the records); the entry's id, limit, remaining, reset ms, wait ms;
--          - for a missing value
local now, grace = clock(ARGV[3])
local history = history(ARGV[8])
local fresh, since = tonumber(ARGV[4]), tonumber(ARGV[6])
local follows = ARGV[5] == history and now < tonumber(ARGV[7])
local reply = {''}
local words = {string.format('%.0f', now)}
for n = 1, #KEYS / 3 do
  local record, budget, guard = KEYS[3 * n - 2], KEYS[3 * n - 1], KEYS[3 * n]
  local spending, known = string.sub(ARGV[n + 8], 1, 1), string.sub(ARGV[n + 8], 2)
  local entry = fields(record, 'id', 'history', 'dead', 'exp', 'pk', 'rpm', 'rph', 'burst', 'at')
  local isKnown = entry[1] == known
  local isUsable = history ~= 'none' and entry[2] == history and usable(entry[9], now, fresh, follows, since)
  local text = isUsable and (isKnown or redis.call('HGET', record, 'v3'))
  if not text then
    local granted = redis.call('SET', guard, 'lease:' .. ARGV[1] .. ':' .. history, 'NX', 'PX', ARGV[2])
    words[n + 1] = (granted and 'lease' or 'none') .. ' - - - - -'
  else
    local found = isKnown and 'known - ' or 'other ' .. (entry[1] or '-') .. ' '
    if not isKnown then reply[#reply + 1] = text end
    local limit, left, reset, wait =
      spend(budget, entry[3], entry[4], entry[5], entry[6], entry[7], entry[8], spending, isKnown, now, grace)
    words[n + 1] = found .. (limit and string.format('%.0f %.0f %.0f %.0f', limit, left, reset, wait) or '- - - -')
  end
end
reply[1] = table.concat(words, ' ')
return reply
`;

/** Stores entries for any number of keys. */
export const STORE_SCRIPT = `${ENTRIES_PRELUDE}
-- KEYS     record, budget, guard; for each key
-- ARGV     ms for which an entry lives, for tests the time or '', the database's id;
--          for each key lease token or '', 1 to spend, record, 1 if revoked or disabled, expiry in ms or '',
--          1 if publishable, requests per minute, requests per hour, burst size
-- returns  {now, decisions...}, for each key {limit, remaining, reset ms, wait ms} if a request was spent, else {}
local now, grace = clock(ARGV[2])
local history = history(ARGV[3])
local decisions = {now}
for n = 1, #KEYS / 3 do
  local record, budget, guard = KEYS[3 * n - 2], KEYS[3 * n - 1], KEYS[3 * n]
  local lease, spending, text, dead, exp, pk, rpm, rph, burst = unpack(ARGV, 9 * n - 5, 9 * n + 3)
  if lease ~= '' and history ~= 'none' and redis.pcall('GET', guard) == 'lease:' .. lease .. ':' .. history then
    redis.call('DEL', record, guard)
    redis.call('HSET', record, 'id', lease, 'history', history, 'dead', dead, 'exp', exp, 'pk', pk,
      'rpm', rpm, 'rph', rph, 'burst', burst, 'at', string.format('%.0f', now), 'v3', text)
    redis.call('PEXPIRE', record, ARGV[1])
  end
  decisions[n + 1] = {spend(budget, dead, exp, pk, rpm, rph, burst, spending, false, now, grace)}
end
return decisions
`;

/** Has no prelude, so that it also removes an entry from a Redis that is full. */
export const BEGIN_CHANGE_SCRIPT = `
-- KEYS  record, guard
-- ARGV  the change's token, ms of its mark
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], 'change:' .. ARGV[1], 'PX', ARGV[2])
`;

/** Leaves the mark of a later change in place. Has no prelude, for the same reason as above. */
export const END_CHANGE_SCRIPT = `${HISTORY_FUNCTION}
-- KEYS     record, guard
-- ARGV     the change's token, or '' for a change by another process, whose mark stays; the database's id
-- returns  the history of this server
redis.call('DEL', KEYS[1])
local guard = redis.pcall('GET', KEYS[2])
if type(guard) ~= 'string' or guard:sub(1, 7) ~= 'change:' or guard == 'change:' .. ARGV[1] then
  redis.call('DEL', KEYS[2])
end
return history(ARGV[2])
`;

/**
 * Called every second, with or without requests. A successful call ends an outage for the circuit breaker, so it must
 * fail where requests fail: it uses every command that the other scripts use.
 */
export const SERVER_STATE_SCRIPT = `${ENTRIES_PRELUDE}
-- KEYS     record, budget; of no real key, and removed at the end
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
