// promise: overload.unfinished
import { expect, test } from "vitest";
import { createProbePlaces } from "./probe-places.ts";

const CHECK = "/grpc.health.v1.Health/Check";
const STRANGER = "192.0.2.1";
const KUBELET = "192.0.2.2";

/** Begins probes until the address is refused another, and returns how many were begun. */
function fill(places: ReturnType<typeof createProbePlaces>, path: string, address: string): number {
  for (let begun = 0; ; begun++) {
    if (places.isTaken(path, address)) return begun;
    places.begin(path, address);
  }
}

test("an address has half of the places, and each other one its own", () => {
  const places = createProbePlaces(64);
  expect(fill(places, CHECK, STRANGER)).toBe(32);
  expect(places.isTaken(CHECK, KUBELET)).toBe(false);
  expect(fill(places, CHECK, KUBELET)).toBe(16);
});

test("an address with none under way has a place, however many others leave theirs unfinished", () => {
  const places = createProbePlaces(64);
  for (let n = 0; n < 1_000; n++) fill(places, CHECK, `198.51.100.${n}`);
  expect(places.isTaken(CHECK, KUBELET)).toBe(false);
});

test("unfinished probes keep no probe of another path from being answered", () => {
  const places = createProbePlaces(64);
  fill(places, CHECK, STRANGER);
  expect([places.isTaken(CHECK, STRANGER), places.isTaken("/readyz", STRANGER)]).toEqual([true, false]);
});

test("places are free again when the probes have ended", () => {
  const places = createProbePlaces(8);
  const begun = Array.from({ length: 5 }, () => places.begin(CHECK, STRANGER));
  expect(places.isTaken(CHECK, STRANGER)).toBe(true);
  for (const place of begun) place.end();
  expect(fill(places, CHECK, STRANGER)).toBe(4);
});
