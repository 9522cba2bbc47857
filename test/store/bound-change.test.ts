import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import type { Invalidation } from "../../src/store/replicas/invalidation.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { changeAllBound } from "../../src/store/sql/replicas/bound-change.ts";
import { openCopy } from "../servers/embedded-template.ts";

let database: SqlDatabase;
beforeAll(async () => {
  database = await openCopy(inject("embeddedTemplate"));
});
afterAll(() => database.close());

let steps: string[];
beforeEach(() => {
  steps = [];
});

/** Records what is done with each subject. */
function invalidation(refused?: string): Invalidation {
  return {
    async beginChange(subject) {
      if (subject === refused) throw new Error("cannot begin");
      steps.push(`begin ${subject}`);
      const step = (what: string) => async () => void steps.push(`${what} ${subject}`);
      return { markId: null, end: step("end"), abandon: step("abandon") };
    },
  };
}

const change = (subjects: readonly string[], work: () => Promise<string>, refused?: string) =>
  changeAllBound(database.db, invalidation(refused), subjects, async () => ({ result: await work(), state: null }));

test("a change of several subjects begins all before its transaction, and ends all after it", async () => {
  const work = async () => {
    steps.push("work");
    return "done";
  };
  expect(await change(["a", "b"], work)).toBe("done");
  expect(steps).toEqual(["begin a", "begin b", "work", "end a", "end b"]);
});

test("a change of no subject is made, too", async () => {
  expect(await change([], async () => "done")).toBe("done");
});

test("if one cannot begin, nothing is changed, and those that have begun are abandoned", async () => {
  const work = () => Promise.reject(new Error("was called"));
  await expect(change(["a", "b", "c"], work, "b")).rejects.toThrow("cannot begin");
  expect(steps).toEqual(["begin a", "begin c", "abandon a", "abandon c"]);
});

test("a change that fails abandons all of them", async () => {
  await expect(change(["a", "b"], () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(steps).toEqual(["begin a", "begin b", "abandon a", "abandon b"]);
});
