import { expect, test } from "vitest";
import { readOptions } from "../../bench/options.ts";

/** What a command line measures, with the default number of keys. */
function scenariosOf(...args: string[]) {
  return readOptions(args).plans[0]?.scenarios.map(({ name }) => name);
}

test("a name stands for a scenario or for a group of them", () => {
  const leases = ["leases-unlimited", "leases-limited", "leases-postgres", "leases-embedded"];
  expect(scenariosOf("leases")).toEqual(leases);
  expect(scenariosOf("check-redis", "--scenario", "replicas")).toEqual(["check-redis", "replicas"]);
});

test("an unknown name is rejected", () => {
  expect(() => readOptions(["lease"])).toThrow("there is no scenario lease");
});
