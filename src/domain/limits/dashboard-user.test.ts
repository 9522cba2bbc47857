import { expect, test } from "vitest";
import type { RateLimit } from "./caps.ts";
import { createDashboardLimit } from "./dashboard-user.ts";

const ANNA = { issuer: "https://login.example", userId: "anna" };

/** Records what is taken. */
function start(requestsPerMinute: number) {
  const taken: { readonly id: string; readonly limit: RateLimit }[] = [];
  const take = async (id: string, limit: RateLimit) => {
    taken.push({ id, limit });
    return { kind: "allow", limit: 1, remaining: 0, resetAt: new Date(0) } as const;
  };
  return { taken, limit: createDashboardLimit({ take }, requestsPerMinute) };
}

test("each user has a budget of their own, by issuer and id", async () => {
  const { taken, limit } = start(2);
  const users = [ANNA, { ...ANNA, userId: "ben" }, { ...ANNA, issuer: "https://other.example" }, ANNA];
  for (const user of users) await limit?.(user);
  const ids = taken.map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  expect(ids[3]).toBe(ids[0]);
  expect(taken[0]?.limit).toEqual({ requestsPerMinute: 2, requestsPerHour: 0, burstSize: 0 });
});

test("the limiter gets no name of a user, and no id that a key could have", async () => {
  const { taken, limit } = start(2);
  await limit?.(ANNA);
  expect(taken[0]?.id).toMatch(/^user_[\w-]{22}$/);
});

test("0 means unlimited", () => {
  expect(start(0).limit).toBeNull();
});
