// promise: rotation.limits, limits.changed
import { expect, test } from "vitest";
import { type Dashboard, dashboardOf } from "../harness/key-management.ts";
import { type CreatedKey, sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const VERIFY = "/api/v1/auth/verify";
/** More than any bucket below, less than the large caps. */
const AT_ONCE = 10;

const PERMISSIONS = ["conversations:read", "users:impersonate"];

const latchkey = await sharedLatchkey();

interface Change {
  readonly from: object;
  readonly spent: number;
  /** The limits that follow, each with one request in between. */
  readonly to: readonly object[];
  /** What a key that always had the last limit would have spent. */
  readonly counted: number;
  /** Whether the requests are made for a user. */
  readonly ofUser?: true;
}

const hourly = (requests_per_hour: number) => ({ requests_per_hour });
const CHANGES: Readonly<Record<string, Change>> = {
  raised: { from: hourly(5), spent: 5, to: [hourly(1_000)], counted: 5 },
  "raised by one": { from: hourly(5), spent: 5, to: [hourly(6)], counted: 5 },
  lowered: { from: hourly(1_000), spent: 5, to: [hourly(7)], counted: 5 },
  "lowered below what was spent": { from: hourly(1_000), spent: 5, to: [hourly(3)], counted: 3 },
  "lowered and raised": { from: hourly(1_000), spent: 5, to: [hourly(1), hourly(1_000)], counted: 5 },
  "changed from a minute to an hour": {
    from: { requests_per_minute: 5 },
    spent: 5,
    to: [hourly(1_000)],
    // A window without a cap counts nothing.
    counted: 0,
  },
  "changed from an hour to a minute": { from: hourly(5), spent: 5, to: [{ requests_per_minute: 100 }], counted: 0 },
  "taken away and given": { from: hourly(5), spent: 5, to: [{}, hourly(1_000)], counted: 5 },
  "raised for each user": {
    from: { per_user: hourly(5) },
    spent: 5,
    to: [{ per_user: hourly(1_000) }],
    counted: 5,
    ofUser: true,
  },
  "raised for the key beside that of users": {
    from: { ...hourly(5), per_user: hourly(100) },
    spent: 5,
    to: [{ ...hourly(1_000), per_user: hourly(100) }],
    counted: 5,
    ofUser: true,
  },
  "raised in its burst": {
    from: { ...hourly(1_000), burst_size: 1 },
    spent: 1,
    to: [{ ...hourly(1_000), burst_size: 6 }],
    counted: 1,
  },
  "lowered in its burst": {
    // A smaller bucket is clipped, not emptied by what was spent before.
    from: { ...hourly(1_000), burst_size: 9 },
    spent: 0,
    to: [{ ...hourly(1_000), burst_size: 4 }],
    counted: 0,
  },
  "freed of its burst": {
    from: { ...hourly(1_000), burst_size: 1 },
    spent: 1,
    to: [{ ...hourly(1_000), burst_size: 0 }],
    counted: 1,
  },
};

/** Those that show the line of a key that is not new; what they come to is the same for all keys. */
const OF_ANY_KEY = ["raised", "lowered and raised", "raised for each user", "lowered in its burst"];
const NEW_KEY = "a new key";

/** What has happened to the key before; returns the one in use. */
const KEYS: Readonly<Record<string, (dashboard: Dashboard, key: CreatedKey) => Promise<CreatedKey>>> = {
  [NEW_KEY]: async (_, key) => key,
  "a key rotated without a grace period": (dashboard, key) => rotate(dashboard, key, 0),
  "a key whose predecessor was revoked": async (dashboard, key) => {
    const successor = await rotate(dashboard, key, 24);
    // Its record is cached before the old key ends.
    await use(successor);
    await dashboard.result("revoke", { key_id: key.key_id });
    return successor;
  },
  "a key whose predecessor was disabled": async (dashboard, key) => {
    const successor = await rotate(dashboard, key, 24);
    await use(successor);
    await dashboard.result("disable", { key_id: key.key_id });
    return successor;
  },
  "a key whose predecessor has expired": async (dashboard, key) => {
    const successor = await rotate(dashboard, key, 1);
    await use(successor);
    return successor;
  },
  "a rotated key whose successor was revoked": async (dashboard, key) => {
    const successor = await rotate(dashboard, key, 24);
    await use(key);
    await dashboard.result("revoke", { key_id: successor.key_id });
    return key;
  },
  "the third key of two rotations": async (dashboard, key) => rotate(dashboard, await rotate(dashboard, key, 0), 0),
};

async function rotate(dashboard: Dashboard, { key_id }: CreatedKey, grace_period_hours: number): Promise<CreatedKey> {
  return (await dashboard.result("rotate", { key_id, grace_period_hours })) as CreatedKey;
}

const use = ({ key }: CreatedKey, ofUser = false) =>
  latchkey.call(VERIFY, {}, { "x-api-key": key, ...(ofUser && { "x-on-behalf-of": "anna" }) });

async function spend(key: CreatedKey, count: number, ofUser = false): Promise<void> {
  for (let n = 0; n < count; n++) expect((await use(key, ofUser)).status).toBe(200);
}

/** What `explain` says of a key, what its next request gets, and how many of some more at once are admitted. */
async function standingOf(dashboard: Dashboard, key: CreatedKey, ofUser = false) {
  const explained = await latchkey.call(
    VERIFY,
    { explain: true, key_id: key.key_id },
    await latchkey.dashboard(dashboard.tenant),
  );
  const { allowed, rate_limit } = explained.json.explanation;
  const first = await use(key, ofUser);
  const others = await Promise.all(Array.from({ length: AT_ONCE }, () => use(key, ofUser)));
  return {
    explained: { allowed, remaining: rate_limit.remaining },
    first: { status: first.status, remaining: Number(first.headers.get("x-ratelimit-remaining")) },
    admitted: others.filter(({ status }) => status === 200).length,
  };
}

/** A key of each change, with the limit before it, in the state that is prepared. */
function prepareKeys(prepare: (typeof KEYS)[string], names: readonly string[]) {
  const changes = Object.entries(CHANGES).filter(([name]) => names.includes(name));
  return Promise.all(
    changes.map(async ([name, change]) => {
      const dashboard = dashboardOf(latchkey);
      const made = await dashboard.createKey({ rate_limit: change.from, permissions: PERMISSIONS });
      return { name, change, dashboard, key: await prepare(dashboard, made) };
    }),
  );
}

async function expectAsFresh({ change, dashboard, key, name }: Awaited<ReturnType<typeof prepareKeys>>[number]) {
  const { spent, to, counted, ofUser } = change;
  await spend(key, spent, ofUser);
  for (const [n, rate_limit] of to.entries()) {
    if (n > 0) await use(key, ofUser);
    await dashboard.result("update", { key_id: key.key_id, rate_limit, update_mask: "rate_limit" });
  }
  const fresh = await dashboard.createKey({ rate_limit: to.at(-1), permissions: PERMISSIONS });
  await spend(fresh, counted, ofUser);
  const standing = await standingOf(dashboard, key, ofUser);
  expect(standing, name).toEqual(await standingOf(dashboard, fresh, ofUser));
  // The question names no user.
  if (ofUser) return;
  const { explained, first } = standing;
  expect(first.status, name).toBe(explained.allowed ? 200 : 429);
  expect(first.remaining, name).toBe(Math.max(0, explained.remaining - (explained.allowed ? 1 : 0)));
}

// threat: L17
test.each(Object.entries(KEYS))(
  "%s has a changed limit as if it were new and had spent the same",
  async (name, prepare) => {
    latchkey.clock.stand();
    const keys = await prepareKeys(prepare, name === NEW_KEY ? Object.keys(CHANGES) : OF_ANY_KEY);
    // What was spent so far is forgotten, and a grace period of one hour is over.
    latchkey.clock.advance(2 * HOUR);
    await Promise.all(keys.map(expectAsFresh));
  },
);

test("a key whose predecessor is valid has a changed limit at once, without a raised burst, which two keys would fill in turns", async () => {
  latchkey.clock.stand();
  const keys = await prepareKeys((dashboard, key) => rotate(dashboard, key, 24), OF_ANY_KEY);
  await Promise.all(keys.map(expectAsFresh));
});
