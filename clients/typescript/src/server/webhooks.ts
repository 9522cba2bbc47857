import type { WebhookEvent } from "./webhook-events.ts";

export interface VerifyWebhookOptions {
  /** The body as it came, before anything parsed it. */
  readonly body: string | Uint8Array;
  /** Those of the request: of `fetch`, of Node, or any object with lower-case names. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The webhook's secret, `whsec_...`; several while you change from one to the next. */
  readonly secret: string | readonly string[];
  /** How far the time of the attempt may be from now, in seconds, against replays. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Default: the present. */
  readonly now?: Date | undefined;
}

/** What was wrong with a request. */
export type WebhookProblem =
  | "header_missing"
  | "header_malformed"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "signature_mismatch"
  | "body_malformed";

/** A request that is not an event of this webhook: answer 400, and do nothing else with it. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly problem: WebhookProblem;
  /** The header at fault, or `body`. */
  readonly field: string;

  constructor(problem: WebhookProblem, field: string, message: string) {
    super(`${field}: ${message}`);
    this.problem = problem;
    this.field = field;
  }
}

const TOLERANCE_S = 300;
/** The least that Standard Webhooks allows. */
const SIGNING_KEY_BYTES_MIN = 24;
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;
const SCHEME = "v1,";
/** Latchkey sends two signatures at most. A longer header would have us decode and compare what no sender of webhooks sends. */
const SIGNATURE_CHARS_MAX = 4_096;

/**
 * Checks the signature of a webhook (Standard Webhooks 1.0) and returns its event. It works in every runtime with Web Crypto, and
 * computes one HMAC for each secret, however many signatures a request has.
 *
 * Throws a `WebhookVerificationError` that says what was wrong with the request, and a `TypeError` for options that cannot
 * work, such as a body that was parsed already.
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  const { headers, toleranceSeconds = TOLERANCE_S, now = new Date() } = options;
  const body = bytesOf(options.body);
  const keys = signingKeysOf(options.secret);
  if (!(toleranceSeconds >= 0)) throw new TypeError("toleranceSeconds: must be 0 or more");
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = signaturesIn(headerOf(headers, "webhook-signature"));
  checkTime(timestamp, toleranceSeconds, now);
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  if (!(await isAnySigned(keys, signatures, signed)))
    throw new WebhookVerificationError(
      "signature_mismatch",
      "webhook-signature",
      "no signature is of this secret and body",
    );
  return eventIn(id, body);
}

/** Copies, since Web Crypto takes no view of shared memory. */
function bytesOf(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw new TypeError("body: must be the raw body, text or bytes; the signature is of that, and not of a parsed one");
}

function signingKeysOf(secret: string | readonly string[]): readonly Uint8Array<ArrayBuffer>[] {
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (!Array.isArray(secrets) || secrets.length === 0) throw new TypeError("secret: is missing");
  return secrets.map((each) => {
    const text = String(each).replace(/^whsec_/, "");
    const key = BASE64.test(text) ? fromBase64(text) : new Uint8Array();
    if (key.length < SIGNING_KEY_BYTES_MIN) throw new TypeError("secret: is not a webhook's secret: whsec_ and Base64");
    return key;
  });
}

function headerOf(headers: VerifyWebhookOptions["headers"], name: string): string {
  const found = headers instanceof Headers ? headers.get(name) : headers[name];
  const value = typeof found === "string" ? found : (found?.join(" ") ?? "");
  if (value === "") throw new WebhookVerificationError("header_missing", name, "is missing");
  return value;
}

/** Those of the scheme that we know: others may stand beside it. */
function signaturesIn(header: string): readonly Uint8Array[] {
  if (header.length > SIGNATURE_CHARS_MAX)
    throw new WebhookVerificationError(
      "header_malformed",
      "webhook-signature",
      `is longer than ${SIGNATURE_CHARS_MAX} characters`,
    );
  const encoded = header
    .split(" ")
    .filter((each) => each.startsWith(SCHEME))
    .map((each) => each.slice(SCHEME.length));
  const found = encoded.filter((each) => each !== "" && BASE64.test(each)).map(fromBase64);
  if (found.length === 0)
    throw new WebhookVerificationError("header_malformed", "webhook-signature", "has no v1 signature");
  return found;
}

function checkTime(timestamp: string, toleranceSeconds: number, now: Date): void {
  const name = "webhook-timestamp";
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError("header_malformed", name, "is not a number of seconds");
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (ageSeconds > toleranceSeconds)
    throw new WebhookVerificationError("timestamp_too_old", name, `is more than ${toleranceSeconds} s ago`);
  if (-ageSeconds > toleranceSeconds)
    throw new WebhookVerificationError("timestamp_too_new", name, `is more than ${toleranceSeconds} s ahead`);
}

async function isAnySigned(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: readonly Uint8Array[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { subtle } = crypto;
  for (const bytes of keys) {
    const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const expected = new Uint8Array(await subtle.sign("HMAC", key, signed));
    if (signatures.some((signature) => isSame(signature, expected))) return true;
  }
  return false;
}

/** Takes as long whatever the bytes are, so that its time does not lead to a signature. */
function isSame(given: Uint8Array, expected: Uint8Array): boolean {
  let difference = given.length ^ expected.length;
  for (const [at, byte] of expected.entries()) difference |= byte ^ (given[at] ?? 0);
  return difference === 0;
}

function eventIn(id: string, body: Uint8Array): WebhookEvent {
  const problem = (message: string) => new WebhookVerificationError("body_malformed", "body", message);
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw problem("is not JSON");
  }
  if (!isRecord(parsed)) throw problem("is not an event");
  const { type, timestamp, data } = parsed;
  const at = new Date(typeof timestamp === "string" ? timestamp : Number.NaN);
  if (typeof type !== "string" || type === "" || !isRecord(data) || Number.isNaN(at.getTime()))
    throw problem("is not an event with type, timestamp and data");
  // The service signed it, so it has the members of its type.
  return { id, type, timestamp: at, data } as unknown as WebhookEvent;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
