// promise: roles.denied, usage.tenant
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { usageReaderOf } from "../harness/tenant-usage.ts";

const latchkey = await sharedLatchkey();

test("a secret key reads its tenant's usage with usage:read, and not with api_keys:read", async () => {
  const reader = usageReaderOf(latchkey);
  for (const [scope, status] of [
    ["usage:read", 200],
    ["api_keys:read", 403],
  ] as const) {
    const { key } = await reader.dashboard.createKey({ permissions: [scope] });
    for (const method of ["get", "top-keys"]) {
      const answer = await latchkey.call(`/api/v1/usage/${method}`, {}, { "x-api-key": key });
      expect([scope, answer.status]).toEqual([scope, status]);
    }
  }
});

test("a tenant sees the uses of its own keys only", async () => {
  const owner = usageReaderOf(latchkey);
  const stranger = usageReaderOf(latchkey);
  await owner.usedKey("one", 3, 1);
  await stranger.usedKey("other", 1);
  expect((await owner.get(4)).result.failed_verifications).toBe(1);
  expect((await stranger.get(1)).result).toEqual({
    total_verifications: 1,
    successful_verifications: 1,
    failed_verifications: 0,
  });
  expect((await usageReaderOf(latchkey).get(0)).result.total_verifications).toBe(0);
});
