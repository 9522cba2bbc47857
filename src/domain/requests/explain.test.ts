// promise: requests.explained
import { expect, test } from "vitest";
import { newRequest } from "../../../test/harness/recent-requests.ts";
import { DENIALS, type DenialReason, errorPageOf } from "../vocabulary/denial.ts";
import { explained as explainedWith } from "./explain.ts";
import type { RecentRequest } from "./recent-request.ts";

const REASONS = Object.keys(DENIALS) as DenialReason[];
const CLOSED = "latchkey.v1.WebhookService/CreateWebhook";
const OPEN = "latchkey.v1.GatewayService/SendMessage";
const POLICIES = new Map([
  [CLOSED, { callers: new Set(["dashboard_user"] as const), tokens: false }],
  [OPEN, { callers: new Set(["secret_key"] as const), tokens: true }],
]);
const explained = (request: RecentRequest) => explainedWith(request, POLICIES);
const namesOf = (request: RecentRequest) => explained(request).steps.map(({ name }) => name);

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

test("a token that may not call the RPC fails at a check of its own, and one without the scope passes that", () => {
  const request = newRequest({ reason: "insufficient_scope", caller: "secret_key", tokenId: "tok_1", rpc: CLOSED });
  const denied = explained(request);
  expect(denied.steps.map(({ name }) => name)).toEqual([
    ...["credentials", "key", "status", "source", "rate_limit", "token"],
  ]);
  expect(denied).toMatchObject({
    remedy: expect.stringContaining("Call with the API key itself"),
    documentation: "/docs/errors#token_not_allowed",
  });
  const open = explained({ ...request, rpc: OPEN });
  expect(open.steps.map(({ name, passed }) => [name, passed]).slice(-2)).toEqual([
    ["token", true],
    ["scope", false],
  ]);
  expect(open.documentation).toBe(errorPageOf("insufficient_scope"));
  expect(namesOf({ ...request, tokenId: null })).not.toContain("token");
});

test.each([
  ["secret_key", CLOSED],
  ["publishable_key", CLOSED],
  ["publishable_key", OPEN],
] as const)("a %s that may not call the RPC fails at its last check, and is not sent for a scope", (caller, rpc) => {
  const { steps, remedy, documentation } = explained(newRequest({ reason: "insufficient_scope", caller, rpc }));
  expect(steps.at(-1)).toMatchObject({ name: "scope", passed: false });
  expect(remedy).toMatch(/^Call with a dashboard user's token/);
  expect(documentation).toBe("/docs/errors#key_not_allowed");
});

test("a key that may call the RPC, and lacks the scope, is sent for the scope", () => {
  const { documentation } = explained(newRequest({ reason: "insufficient_scope", caller: "secret_key", rpc: OPEN }));
  expect(documentation).toBe("/docs/errors#insufficient_scope");
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
