import { PRELUDE } from "./take.lua.ts";

/**
 * Copies of key records, made so that none outlives a change that was acknowledged (docs/consistency.md):
 *
 * - Who finds no copy gets a lease, reads the database and keeps a copy only if the lease is still there.
 * - A change removes copy and lease and puts up a mark before it commits, and removes all three after it.
 *   Under a mark there are no leases.
 * - Copy and lease name the history (replication id) of the server that made them. After a failover to a replica that
 *   lags behind, or a restart from an old file, what comes back is of another history and is not believed.
 */
const COPIES_PRELUDE = `${PRELUDE}
local function history()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
end

-- The fields of a hash; none of what is no hash, and none of ours, which is removed.
local function fields(key, ...)
  local saved = redis.pcall('HMGET', key, ...)
  if not saved.err then return saved end
  if not string.find(saved.err, '^WRONGTYPE') then return redis.call('HMGET', key, ...) end
  redis.call('DEL', key)
  return {}
end

-- A usable secret key spends as soon as it is seen: spendsOnSight of domain/keys/admission.ts.
local function spend(budget, dead, exp, pk, rpm, rph, burst, spending, now, grace)
  local usable = dead == '0' and (exp == '' or now < tonumber(exp))
  if not usable or pk == '1' or spending ~= '1' then return end
  return take(budget, tonumber(rpm), tonumber(rph), tonumber(burst), true, now, grace)
end
`;

/** Looks for any number of keys: what is done once for all of them costs as much as a key does. */
export const PRESENT_SCRIPT = `${COPIES_PRELUDE}
-- KEYS     record, budget, guard; for each key that is looked for
-- ARGV     lease token, ms of a lease, for tests the time or '';
--          for each key 1 to spend, and the id of the copy that the caller has, or ''
-- returns  {now, answers...}, an answer for each key: {1 if the lease was granted} if there is no copy, else
--          {id, record or '' where the caller has it, limit, remaining, reset ms, wait ms}, the last four only if spent
local now, grace = clock(ARGV[3])
local history = history()
local answers = {now}
for n = 1, #KEYS / 3 do
  local record, budget, guard = KEYS[3 * n - 2], KEYS[3 * n - 1], KEYS[3 * n]
  local copy = fields(record, 'id', 'history', 'dead', 'exp', 'pk', 'rpm', 'rph', 'burst')
  local text = copy[2] == history and (copy[1] == ARGV[2 * n + 3] and '' or redis.call('HGET', record, 'v1'))
  if text then
    answers[n + 1] = {
      copy[1] or '', text, spend(budget, copy[3], copy[4], copy[5], copy[6], copy[7], copy[8], ARGV[2 * n + 2], now, grace)
    }
  else
    local granted = redis.call('SET', guard, 'lease:' .. ARGV[1] .. ':' .. history, 'NX', 'PX', ARGV[2])
    answers[n + 1] = {granted and 1 or 0}
  end
end
return answers
`;

/** Keeps copies of any number of keys. */
export const KEEP_SCRIPT = `${COPIES_PRELUDE}
-- KEYS     record, budget, guard; for each key
-- ARGV     ms of a copy, for tests the time or ''; for each key lease token or '', 1 to spend, record, 1 if revoked or
--          disabled, expiry in ms or '', 1 if publishable, requests per minute, requests per hour, burst size
-- returns  {now, answers...}, an answer for each key: {limit, remaining, reset ms, wait ms} if spent, else {}
local now, grace = clock(ARGV[2])
local history = history()
local answers = {now}
for n = 1, #KEYS / 3 do
  local record, budget, guard = KEYS[3 * n - 2], KEYS[3 * n - 1], KEYS[3 * n]
  local lease, spending, text, dead, exp, pk, rpm, rph, burst = unpack(ARGV, 9 * n - 6, 9 * n + 2)
  if lease ~= '' and redis.pcall('GET', guard) == 'lease:' .. lease .. ':' .. history then
    redis.call('DEL', record, guard)
    redis.call('HSET', record, 'id', lease, 'history', history, 'dead', dead, 'exp', exp, 'pk', pk,
      'rpm', rpm, 'rph', rph, 'burst', burst, 'v1', text)
    redis.call('PEXPIRE', record, ARGV[1])
  end
  answers[n + 1] = {spend(budget, dead, exp, pk, rpm, rph, burst, spending, now, grace)}
end
return answers
`;

export const BEGIN_CHANGE_SCRIPT = `
-- KEYS  record, guard
-- ARGV  the change's token, ms of its mark
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], 'change:' .. ARGV[1], 'PX', ARGV[2])
`;

/** Leaves the mark of a later change alone. */
export const END_CHANGE_SCRIPT = `
-- KEYS  record, guard
-- ARGV  the change's token
redis.call('DEL', KEYS[1])
local guard = redis.pcall('GET', KEYS[2])
if type(guard) ~= 'string' or guard:sub(1, 7) ~= 'change:' or guard == 'change:' .. ARGV[1] then
  redis.call('DEL', KEYS[2])
end
`;
