import { createHmac, timingSafeEqual } from "node:crypto";

/** A signature is valid for so long before and after its time, against replays. */
const TOLERANCE_S = 300;
const SECRET = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;

/** The headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. */
export interface SignedHeaders {
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: string;
}

export function isWebhookSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Whether one of the signatures of a request is of this secret, by Standard Webhooks 1.0, and recent. */
export function isWebhookSignature(
  secret: string,
  { id, timestamp, signatures }: SignedHeaders,
  body: string,
  now: Date,
): boolean {
  const [, key = ""] = SECRET.exec(secret) ?? [];
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= TOLERANCE_S;
  if (key === "" || id === "" || !isRecent) return false;
  const expected = createHmac("sha256", Buffer.from(key, "base64")).update(`${id}.${timestamp}.${body}`).digest();
  return signatures.split(" ").some((each) => {
    const given = Buffer.from(each.startsWith("v1,") ? each.slice(3) : "", "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
