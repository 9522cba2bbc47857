import { expect, test } from "vitest";
import { readOptions } from "../../bench/options.ts";

/** What a command line measures, with the default number of keys. */
function planOf(...args: string[]) {
  const [plan] = readOptions(args).plans;
  return { scenarios: plan?.scenarios.map(({ name }) => name), revoking: plan?.revoking.length };
}

test("a name stands for a scenario, for a group of them, or for changes of keys", () => {
  const leases = ["leases-unlimited", "leases-limited", "leases-postgres", "leases-embedded"];
  expect(planOf("leases")).toEqual({ scenarios: leases, revoking: 0 });
  expect(planOf("check-redis", "--scenario", "replicas")).toEqual({
    scenarios: ["check-redis", "replicas"],
    revoking: 0,
  });
  expect(planOf("revocations")).toEqual({ scenarios: [], revoking: 2 });
});

test("an unknown name is rejected, and for a profile everything but a scenario", () => {
  expect(() => readOptions(["lease"])).toThrow("there is no scenario lease");
  expect(() => readOptions(["--profile", "revocations"])).toThrow("there is no scenario revocations");
});

test("a run is kept for later ones on demand only", () => {
  expect(readOptions([]).isKept).toBe(false);
  expect(readOptions(["leases", "--keep"]).isKept).toBe(true);
});
