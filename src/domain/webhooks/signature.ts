import { createHmac } from "node:crypto";
import { signingKey } from "../signatures/webhook-signature.ts";

/** The secrets of a webhook. */
export interface WebhookSecrets {
  /** Null: it cannot be read, because it was sealed under another `TOKEN_SECRET`. */
  readonly secret: string | null;
  /** Null: it was never rotated, or cannot be read. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: Date | null;
  /** Those before it, the newest first, each until the end of its own overlap. */
  readonly formerSecrets: readonly { readonly secret: string | null; readonly until: Date }[];
}

/** What signs at an instant: the secret and, until the overlap of its rotation ends, each one before it. None: none can be read. */
export function signingSecrets(
  { secret, previousSecret, previousSecretUntil, formerSecrets }: WebhookSecrets,
  now: Date,
): readonly string[] {
  const overlaps = previousSecret !== null && previousSecretUntil !== null && now < previousSecretUntil;
  const former = formerSecrets.filter(({ until }) => now < until).map((each) => each.secret);
  return [secret, overlaps ? previousSecret : null, ...former].filter((each) => each !== null);
}

/** The headers of Standard Webhooks 1.0 for a body: a signature with each secret. `at` is the time of the attempt. */
export function signatureHeaders(eventId: string, at: Date, body: string, secrets: readonly string[]) {
  const time = String(Math.floor(at.getTime() / 1_000));
  return {
    "webhook-id": eventId,
    "webhook-timestamp": time,
    "webhook-signature": secrets.map((secret) => signature(secret, `${eventId}.${time}.${body}`)).join(" "),
  };
}

function signature(secret: string, text: string): string {
  const key = signingKey(secret);
  if (key === undefined) throw new Error("A webhook's secret is malformed.");
  return `v1,${createHmac("sha256", key).update(text).digest("base64")}`;
}
