import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { isWebhookSecret, isWebhookSignature } from "./webhook-signature.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
const OTHER = "whsec_AfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
const NOW = new Date("2026-01-31T12:00:00Z");
const BODY = '{"type":"api_key.revoked"}';

/** As the reference library signs. */
function signed(at = NOW, secret = SECRET) {
  const signatures = new Webhook(secret).sign("evt_1", at, BODY);
  return { id: "evt_1", timestamp: String(at.getTime() / 1_000), signatures };
}

describe("the signature of a webhook", () => {
  test("by the reference library is valid, also beside another one", () => {
    const { signatures, ...rest } = signed();
    expect(isWebhookSignature(SECRET, signed(), BODY, NOW)).toBe(true);
    const both = { ...rest, signatures: `${signed(NOW, OTHER).signatures} ${signatures}` };
    expect(isWebhookSignature(SECRET, both, BODY, NOW)).toBe(true);
  });

  test.each([
    ["of another secret", signed(NOW, OTHER), BODY],
    ["of another body", signed(), `${BODY} `],
    ["of another event", { ...signed(), id: "evt_2" }, BODY],
    ["of another time", { ...signed(), timestamp: String(NOW.getTime() / 1_000 + 1) }, BODY],
    ["without a time", { ...signed(), timestamp: "" }, BODY],
    ["of no version", { ...signed(), signatures: signed().signatures.slice(3) }, BODY],
    ["that is absent", { ...signed(), signatures: "" }, BODY],
    ["that is more than 5 minutes old", signed(new Date(NOW.getTime() - 301_000)), BODY],
    ["that is more than 5 minutes ahead", signed(new Date(NOW.getTime() + 301_000)), BODY],
  ])("%s is not", (_what, headers, body) => {
    expect(isWebhookSignature(SECRET, headers, body, NOW)).toBe(false);
  });

  test.each(["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_=", "whsec_short", `${SECRET} x`])(
    "of what is no secret, %j, is not",
    (text) => {
      expect(isWebhookSecret(text)).toBe(false);
      expect(isWebhookSignature(text, signed(), BODY, NOW)).toBe(false);
    },
  );
});
