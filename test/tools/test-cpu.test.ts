import { expect, test } from "vitest";
import { failuresOf, tableOf } from "../../tools/repeat-tests/report.ts";
import { runCounted, secondsOfTimes } from "../../tools/test-cpu/counted-run.ts";
import { inUnits } from "../../tools/test-cpu/units.ts";

const BURN = "while (process.cpuUsage().user < 100_000);";

test("a run's CPU time has the processes that it started, and its exit code is kept", async () => {
  const child = `require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(BURN)}]); process.exit(3)`;
  const run = await runCounted([process.execPath, "-e", child], { stdio: "ignore" });
  expect(run.code).toBe(3);
  expect(run.cpuSeconds).toBeGreaterThan(0.1);
});

test("the shell's times are those of its children, in seconds", () => {
  expect(secondsOfTimes("0m0.010s 0m0.020s\n2m1.500s 0m3.250s\n")).toBe(124.75);
  expect(() => secondsOfTimes("")).toThrow("not what times prints");
});

test("units are CPU seconds by the median calibration, and a machine that changed by more than a quarter is not steady", () => {
  expect(inUnits(300, [1.5, 1.4, 1.6])).toMatchObject({ units: 200, isSteady: true });
  expect(inUnits(300, [1.5, 1.1, 1.6])).toMatchObject({ units: 200, isSteady: false });
});

test("a table of runs names each failed test, and each file that failed without one", () => {
  const passed = { name: "a.test.ts", status: "passed", assertionResults: [{ fullName: "works", status: "passed" }] };
  const failed = { name: "b.test.ts", status: "failed", assertionResults: [{ fullName: "a | b", status: "failed" }] };
  const broken = { name: "c.test.ts", status: "failed", assertionResults: [] };
  const failures = failuresOf({ testResults: [passed, failed, broken] });
  expect(failures).toEqual(["a | b", "c.test.ts"]);
  expect(tableOf([{ beside: "stress-ng", seconds: 90.4, units: 250, failures }])).toBe(
    "| Run | Beside | Seconds | CPU units | Failed |\n| --- | --- | --- | --- | --- |\n" +
      "| 1 | stress-ng | 90 | 250 | a \\| b; c.test.ts |\n",
  );
});
