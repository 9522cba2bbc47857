import { describe, expect, test } from "vitest";
import { DENIALS, Denial } from "./denial.ts";

describe("a denial", () => {
  test("says the sentence of its reason, unless it has one of its own", () => {
    expect(new Denial("api_key_revoked").message).toBe(DENIALS.api_key_revoked.sentence);
    expect(new Denial("api_key_revoked", { message: "own" })).toMatchObject({
      name: "Denial",
      reason: "api_key_revoked",
      message: "own",
    });
  });

  test("keeps its cause for the log, and the time after which a retry makes sense", () => {
    const cause = new Error("down");
    expect(new Denial("verifier_error", { cause, retryAfterMs: 5 })).toMatchObject({ cause, retryAfterMs: 5 });
    expect(new Denial("verifier_error")).toMatchObject({ cause: undefined, retryAfterMs: 0 });
  });
});
