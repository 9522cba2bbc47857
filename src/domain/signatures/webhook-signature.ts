import { createHmac, timingSafeEqual } from "node:crypto";

/** A signature is valid for so long before and after its time, against replays. */
const TOLERANCE_S = 300;
/** The least that Standard Webhooks allows. */
const SIGNING_KEY_BYTES_MIN = 24;
/** With `+` and `/` or, for URLs, `-` and `_`. The padding may be absent. */
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

/** The headers of a signed request, each by its lower-case name. */
export type SignatureHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Whether a request is signed with one of the secrets: by Standard Webhooks 1.0, or as Zitadel signs. `body` is the body as it
 * came. A secret of Standard Webhooks is base64, usually after `whsec_`, for Supabase after `v1,whsec_`.
 */
export function isSigned(secrets: readonly string[], headers: SignatureHeaders, body: Uint8Array, now: Date): boolean {
  const nowS = now.getTime() / 1_000;
  return secrets.some((secret) => isStandard(secret, headers, body, nowS) || isZitadel(secret, headers, body, nowS));
}

/**
 * The bytes that sign by Standard Webhooks. Undefined: the secret is not base64 as a whole, or of fewer than 24 bytes. Node decodes
 * what stands before the first `=`, so that of `a=...` it makes a key of no bytes, with which anyone can sign.
 */
export function signingKey(secret: string): Buffer | undefined {
  const text = secret.replace(/^v1,/, "").replace(/^whsec_/, "");
  if (!BASE64.test(text)) return undefined;
  const key = Buffer.from(text, "base64");
  return key.length >= SIGNING_KEY_BYTES_MIN ? key : undefined;
}

/** Several signatures are separated by spaces; Supabase has `, ` between them. */
function isStandard(secret: string, headers: SignatureHeaders, body: Uint8Array, nowS: number): boolean {
  const id = headers["webhook-id"] ?? "";
  const time = headers["webhook-timestamp"] ?? "";
  if (id === "" || !isRecent(time, nowS)) return false;
  const key = signingKey(secret);
  if (key === undefined) return false;
  const expected = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest();
  const parts = (headers["webhook-signature"] ?? "").split(/,? +/);
  return parts.some((part) => part.startsWith("v1,") && equals(Buffer.from(part.slice(3), "base64"), expected));
}

/** `t=<seconds>,v1=<hex>`, with the secret as text. */
function isZitadel(secret: string, headers: SignatureHeaders, body: Uint8Array, nowS: number): boolean {
  const parts = (headers["zitadel-signature"] ?? "").split(",").map((part) => part.trim());
  const time = parts.find((part) => part.startsWith("t="))?.slice(2) ?? "";
  if (!isRecent(time, nowS)) return false;
  const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
  return parts.some((part) => part.startsWith("v1=") && equals(Buffer.from(part.slice(3), "hex"), expected));
}

function isRecent(time: string, nowS: number): boolean {
  return /^\d{1,12}$/.test(time) && Math.abs(nowS - Number(time)) <= TOLERANCE_S;
}

function equals(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
