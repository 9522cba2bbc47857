// promise: workloads.checked
import { expect, test } from "vitest";
import { newRule } from "../../../test/harness/federation.ts";
import type { ClaimRule } from "../tokens/claim-rules.ts";
import type { FederationRule } from "./rule.ts";
import { ruleProblem } from "./rule-problem.ts";

const ADDED = { status: "enabled", createdAt: new Date(0), updatedAt: new Date(0) } as const;
const isOwnIssuer = (text: string): boolean => text.startsWith("https://keys.example");

function problemOf(changes: Partial<FederationRule>): string | undefined {
  return ruleProblem(isOwnIssuer, { ...newRule(), ...ADDED, ...changes });
}

test("a rule gives no tokens if it is disabled, if it leads to this service, or if it pins no workload", () => {
  expect(problemOf({})).toBeUndefined();
  expect(problemOf({ jwksUrl: null, jwks: { keys: [] } })).toBeUndefined();
  expect(problemOf({ status: "disabled" })).toBe("The rule is disabled.");
  expect(problemOf({ issuer: "https://keys.example" })).toContain("issuer must not lead to this service");
  expect(problemOf({ jwksUrl: "https://keys.example/x" })).toContain("jwksUrl must not lead to this service");
});

// threat: D16
test.each(["iss", "aud", "exp", "iat", "nbf", "jti", "aud.0", "aud.x", "aud.", "iss.x", "iss.host.x"])(
  "a claim that leads to what all tokens share pins no workload: %s",
  (claim) => {
    const rules: readonly ClaimRule[][] = [
      [{ claim, equals: "x" }],
      [
        { claim, contains: "x" },
        { claim: "iss", equals: "x" },
      ],
    ];
    for (const claimRules of rules) expect(problemOf({ claimRules })).toContain("pin no workload");
    expect(
      problemOf({
        claimRules: [
          { claim, equals: "x" },
          { claim: "sub", equals: "x" },
        ],
      }),
    ).toBeUndefined();
  },
);

test.each(["sub", "audience", "issuer", "kubernetes.io.namespace", "a.iss"])(
  "any other claim may pin one: %s",
  (claim) => expect(problemOf({ claimRules: [{ claim, equals: "x" }] })).toBeUndefined(),
);
