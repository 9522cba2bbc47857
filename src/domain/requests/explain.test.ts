import { expect, test } from "vitest";
import { newRequest } from "../../../test/harness/recent-requests.ts";
import { DENIALS, type DenialReason, errorPageOf } from "../vocabulary/denial.ts";
import { explained } from "./explain.ts";

const REASONS = Object.keys(DENIALS) as DenialReason[];
const namesOf = (request: Parameters<typeof explained>[0]) => explained(request).steps.map(({ name }) => name);

test.each(REASONS)("%s has a check that failed last, a remedy and its page", (reason) => {
  for (const caller of ["secret_key", "publishable_key", "dashboard_user", null] as const) {
    const { steps, remedy, documentation } = explained(newRequest({ reason, caller, message: "Why." }));
    expect(steps.map(({ passed }) => passed)).toEqual([...steps.slice(1).map(() => true), false]);
    expect(steps.at(-1)?.detail).toBe("Why.");
    expect(remedy).toMatch(/^[A-Z].*[\w>]\.$/);
    expect(documentation).toBe(errorPageOf(reason));
  }
});

test("the checks are those of the caller, in the order of the gate", () => {
  const reason = "insufficient_scope";
  expect(namesOf(newRequest({ reason, caller: "secret_key" }))).toEqual([
    "credentials",
    "key",
    "status",
    "source",
    "rate_limit",
    "scope",
  ]);
  expect(namesOf(newRequest({ reason, caller: "publishable_key" }))).toContain("oidc");
  expect(namesOf(newRequest({ reason, caller: "dashboard_user" }))).toEqual([
    "credentials",
    "oidc",
    "status",
    "rate_limit",
    "scope",
  ]);
});

test("a look-up that failed is the check of the key, and a provider that is away that of the token", () => {
  const reason = "verifier_error";
  expect(namesOf(newRequest({ reason, caller: null, keyId: null }))).toEqual(["credentials", "key"]);
  expect(namesOf(newRequest({ reason, caller: "publishable_key" })).at(-1)).toBe("oidc");
});

test("a failed request came to no check of its caller", () => {
  expect(explained(newRequest({ reason: "internal", message: "" }))).toMatchObject({
    steps: [{ name: "storage", passed: false, detail: expect.stringContaining("could not be checked") }],
    documentation: "/docs/errors#storage_unavailable",
  });
  expect(namesOf(newRequest({ reason: "not_found" }))).toEqual(["path"]);
});

test("an admitted request passed all checks, and there is nothing to do", () => {
  const { steps, remedy, documentation } = explained(newRequest({ reason: null, message: "" }));
  expect(steps.every(({ passed }) => passed)).toBe(true);
  expect([remedy, documentation]).toEqual(["", ""]);
});
