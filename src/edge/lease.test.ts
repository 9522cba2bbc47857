// promise: edges.lease
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { instantOf } from "../store/replicas/lease.ts";
import { createEdgeLease, type EdgeLease } from "./lease.ts";

const clocks = { mono: 0, wall: 0, monotonicMs: () => clocks.mono, wallMs: () => clocks.wall };
let lease: EdgeLease;

beforeEach(() => {
  [clocks.mono, clocks.wall] = [10_000, 1_700_000_000_000];
  lease = createEdgeLease(clocks);
});

/** Time that both clocks show. */
function pass(ms: number): void {
  clocks.mono += ms;
  clocks.wall += ms;
}

test("an edge has no lease before the first answer", () => {
  expect({ isHeld: lease.isHeld(), leftMs: lease.leftMs() }).toEqual({ isHeld: false, leftMs: 0 });
});

test("it counts from the question, however late the answer comes", () => {
  const asked = instantOf(clocks);
  pass(2_000);
  lease.granted(asked, 2_500);
  expect(lease.leftMs()).toBe(500);
  pass(499);
  expect(lease.isHeld()).toBe(true);
  pass(1);
  expect({ isHeld: lease.isHeld(), leftMs: lease.leftMs() }).toEqual({ isHeld: false, leftMs: 0 });
});

test("an answer that comes after its end grants nothing", () => {
  const asked = instantOf(clocks);
  pass(2_500);
  lease.granted(asked, 2_500);
  expect(lease.isHeld()).toBe(false);
});

test("it ends with the clock that goes on, while the other one stands", () => {
  for (const clock of ["mono", "wall"] as const) {
    lease.end();
    lease.granted(instantOf(clocks), 2_500);
    clocks[clock] += 2_500;
    expect(lease.isHeld()).toBe(false);
  }
});

test("a clock that stands ends it for as long as it stands, whatever is granted meanwhile", () => {
  lease.granted(instantOf(clocks), 2_500);
  clocks.wall += 60_000;
  lease.granted(instantOf(clocks), 2_500);
  expect(lease.isHeld()).toBe(false);
  pass(1);
  lease.granted(instantOf(clocks), 2_500);
  expect(lease.isHeld()).toBe(true);
});

test("an answer that was overtaken does not shorten it", () => {
  const first = instantOf(clocks);
  pass(400);
  lease.granted(instantOf(clocks), 2_500);
  lease.granted(first, 2_000);
  expect(lease.leftMs()).toBe(2_500);
});

test("another stream ends it at once", () => {
  lease.granted(instantOf(clocks), 2_500);
  lease.end();
  expect({ isHeld: lease.isHeld(), leftMs: lease.leftMs() }).toEqual({ isHeld: false, leftMs: 0 });
});

test("it is never held later than the longest answer allows, by either clock", () => {
  const step = fc.record({
    mono: fc.nat(1_000),
    wall: fc.integer({ min: -2_000, max: 3_000 }),
    granted: fc.option(fc.nat(2_500), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      [clocks.mono, clocks.wall] = [0, 0];
      const some = createEdgeLease(clocks);
      const grants: { untilMono: number; untilWall: number }[] = [];
      for (const { mono, wall, granted } of steps) {
        const asked = instantOf(clocks);
        clocks.mono += mono;
        clocks.wall += wall;
        if (granted !== undefined) {
          some.granted(asked, granted);
          grants.push({ untilMono: asked.monotonicMs + granted, untilWall: asked.wallMs + granted });
        }
        const isGranted = grants.some(({ untilMono, untilWall }) => clocks.mono < untilMono && clocks.wall < untilWall);
        if (some.isHeld()) expect(isGranted).toBe(true);
        expect(some.leftMs() > 0).toBe(some.isHeld());
      }
    }),
  );
});
