import { expect, test } from "vitest";
import { snakeCase } from "./snake-case.ts";

test.each([
  ["name", "name"],
  ["rateLimit", "rate_limit"],
  ["requestsPerMinute", "requests_per_minute"],
] as const)("%s is %s", (name, expected) => {
  expect(snakeCase(name)).toBe(expected);
});
