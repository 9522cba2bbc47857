import type { Reporter, TestCase } from "vitest/node";

/** Lists, before the summary, the tests that failed at first and then passed. */
export function flakyReporter(): Reporter {
  const flaky: string[] = [];
  return {
    onTestCaseResult(test: TestCase) {
      if (test.diagnostic()?.flaky) flaky.push(`${test.module.relativeModuleId} > ${test.fullName}`);
    },
    onTestRunEnd() {
      for (const name of flaky) console.log(`passed at its second run: ${name}`);
    },
  };
}
