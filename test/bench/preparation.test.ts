import { expect, test, vi } from "vitest";
import { bareHttp } from "../../bench/contestants.ts";
import { prepared } from "../../bench/preparation.ts";

test("contestants that cannot run here are left out, each reason in one line", async () => {
  const lines = vi.spyOn(console, "log").mockImplementation(() => {});
  const prepare = () => Promise.reject(new Error("no package\nof that name"));
  const [one, two] = [
    { ...bareHttp, name: "one", prepare },
    { ...bareHttp, name: "two", prepare },
  ];
  expect([...(await prepared([bareHttp, one, two]))]).toEqual([bareHttp]);
  expect(lines.mock.calls).toEqual([["without one; two: no package of that name"]]);
  lines.mockRestore();
});
