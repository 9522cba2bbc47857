import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { createLease, type Instant, instantOf, type Lease } from "./lease.ts";

const LEASE_MS = 2_700;

const clocks = { mono: 0, wall: 0, monotonicMs: () => clocks.mono, wallMs: () => clocks.wall };
let lease: Lease;

beforeEach(() => {
  // The wall clock counts from another zero.
  [clocks.mono, clocks.wall] = [10_000, 1_700_000_000_000];
  lease = createLease(LEASE_MS, clocks);
});

/** Time that both clocks show. */
function pass(ms: number): void {
  clocks.mono += ms;
  clocks.wall += ms;
}

function begin(): void {
  lease.renewed(instantOf(clocks));
  lease.looked(instantOf(clocks));
}

test("a replica has no lease before the first look and the first renewal", () => {
  expect(lease.isHeld()).toBe(false);
  lease.looked(instantOf(clocks));
  expect(lease.isHeld()).toBe(false);
  lease.end();
  lease.renewed(instantOf(clocks));
  expect(lease.isHeld()).toBe(false);
  lease.looked(instantOf(clocks));
  expect(lease.isHeld()).toBe(true);
});

test("it lasts until 2.7 s after the statements were sent, however late their results come", () => {
  const sent = instantOf(clocks);
  pass(2_000);
  lease.renewed(sent);
  lease.looked(sent);
  pass(699);
  expect(lease.isHeld()).toBe(true);
  pass(1);
  expect(lease.isHeld()).toBe(false);
});

test.each(["looked", "renewed"] as const)(
  "it ends with the older of both, if the other one goes on: only %s",
  (one) => {
    begin();
    for (let n = 0; n < 2; n++) {
      pass(1_000);
      lease[one](instantOf(clocks));
    }
    pass(699);
    expect(lease.isHeld()).toBe(true);
    pass(1);
    expect(lease.isHeld()).toBe(false);
  },
);

test("what was held before it ended does not count afterwards: it needs a look and a renewal", () => {
  begin();
  lease.end();
  expect(lease.isHeld()).toBe(false);
  lease.looked(instantOf(clocks));
  expect(lease.isHeld()).toBe(false);
  lease.renewed(instantOf(clocks));
  expect(lease.isHeld()).toBe(true);
});

describe("the wall clock", () => {
  test("ends it by a step forward, as after the machine was suspended", () => {
    begin();
    clocks.wall += LEASE_MS;
    expect(lease.isHeld()).toBe(false);
  });

  test("does not extend it by a step back", () => {
    begin();
    clocks.wall -= 3_600_000;
    pass(LEASE_MS - 1);
    expect(lease.isHeld()).toBe(true);
    pass(1);
    expect(lease.isHeld()).toBe(false);
  });

  test("lets the next look and the next renewal begin it again after a step, in either direction", () => {
    for (const step of [3_600_000, -7_200_000]) {
      clocks.wall += step;
      begin();
      expect(lease.isHeld()).toBe(true);
    }
  });
});

test("law: it is held while both statements were sent less than 2.7 s ago by both clocks, and at no other time", () => {
  const sending = fc.constantFrom("look", "renewal", "end", "wait");
  const step = fc.record({ what: sending, mono: fc.nat(1_500), wall: fc.integer({ min: -5_000, max: 5_000 }) });
  const property = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
    [clocks.mono, clocks.wall] = [0, 0];
    const lease = createLease(LEASE_MS, clocks);
    let look: Instant | undefined;
    let renewal: Instant | undefined;
    for (const { what, mono, wall } of steps) {
      const sent = instantOf(clocks);
      clocks.mono += mono;
      clocks.wall += wall;
      if (what === "look") {
        lease.looked(sent);
        look = sent;
      }
      if (what === "renewal") {
        lease.renewed(sent);
        renewal = sent;
      }
      if (what === "end") {
        lease.end();
        [look, renewal] = [undefined, undefined];
      }
      const isRecent = (instant: Instant | undefined) =>
        instant !== undefined &&
        clocks.mono - instant.monotonicMs < LEASE_MS &&
        clocks.wall - instant.wallMs < LEASE_MS;
      expect(lease.isHeld()).toBe(isRecent(look) && isRecent(renewal));
    }
  });
  fc.assert(property, { numRuns: 500 });
});
