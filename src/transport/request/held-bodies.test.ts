// promise: overload.bodies
import { expect, test } from "vitest";
import { dashboardUser } from "../../../test/harness/principals.ts";
import { UNCHECKED } from "../../domain/access/facts.ts";
import { createHeldBodies } from "./held-bodies.ts";

const MIB = 1_048_576;
/** 8 MiB for callers that are not accepted yet, and 24 for the others. */
const MAX = 32 * MIB;
const stranger = (address: string) => ({ address });
const userOf = (tenantId: string) => ({
  address: "192.0.2.1",
  verdict: { ...UNCHECKED, principal: { ...dashboardUser(), tenantId } },
});

/** Takes a MiB at a time until there is none left, and returns how many were. */
function fill(bodies: ReturnType<typeof createHeldBodies>, call: Parameters<typeof bodies.begin>[0]): number {
  const body = bodies.begin(call);
  for (let taken = 0; ; taken++) if (!body.take(MIB)) return taken;
}

test("an address that is not accepted holds half of the strangers' part, and another one still gets some", () => {
  const bodies = createHeldBodies(MAX);
  expect(fill(bodies, stranger("192.0.2.1"))).toBe(4);
  expect(fill(bodies, stranger("192.0.2.2"))).toBe(2);
  expect(bodies.bytes).toBe(6 * MIB);
});

// threat: Q1
test("strangers take nothing of accepted callers, and a tenant nothing of another", () => {
  const bodies = createHeldBodies(MAX);
  for (let n = 0; n < 1_000; n++) fill(bodies, stranger(`192.0.2.${n}`));
  expect(fill(bodies, userOf("a"))).toBe(12);
  expect(fill(bodies, userOf("b"))).toBe(6);
});

test("an answered call gives back what it held, and keeps nothing that arrives later", () => {
  const bodies = createHeldBodies(MAX);
  const call: Parameters<typeof bodies.begin>[0] = stranger("192.0.2.1");
  const body = bodies.begin(call);
  expect(body.take(4 * MIB)).toBe(true);
  call.heldBody?.end();
  expect([body.take(1), bodies.bytes]).toEqual([false, 0]);
  expect(fill(bodies, stranger("192.0.2.1"))).toBe(4);
});

test("a body that was dropped is not held, and may not be dropped twice", () => {
  const bodies = createHeldBodies(MAX);
  const body = bodies.begin(stranger("192.0.2.1"));
  body.take(MIB);
  body.drop();
  body.drop();
  expect(bodies.bytes).toBe(0);
});

test("the largest body fits, however small the bound is, and 0 means no bound", () => {
  expect(fill(createHeldBodies(1), stranger("192.0.2.1"))).toBe(1);
  const body = createHeldBodies(0).begin(stranger("192.0.2.1"));
  expect(body.take(Number.MAX_SAFE_INTEGER)).toBe(true);
});
