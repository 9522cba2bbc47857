// promise: requests.recent
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { requestsOf, verifyWith } from "../harness/recent-requests.ts";
import { HOUR } from "../harness/test-clock.ts";

const DAYS = 7;

let latchkey: Latchkey;

beforeAll(async () => {
  latchkey = await startLatchkey({ config: { requestLogDays: DAYS }, purgeMs: 50 });
});
afterAll(() => latchkey.close());

test("recent requests are kept for REQUEST_LOG_DAYS, and then removed", async () => {
  const tenant = newTenant();
  const { key } = await latchkey.createKey(await latchkey.dashboard(tenant), { permissions: ["plans:read"] });
  const verify = () => verifyWith(latchkey, key, { scope: "plans:write" });
  await verify();
  expect(await requestsOf(latchkey, tenant)).toHaveLength(1);
  latchkey.clock.advance((DAYS * 24 - 1) * HOUR);
  const later = await verify();
  expect(await requestsOf(latchkey, tenant)).toHaveLength(2);
  latchkey.clock.advance(2 * HOUR);
  await expect.poll(() => requestsOf(latchkey, tenant)).toEqual([expect.objectContaining({ request_id: later })]);
});
