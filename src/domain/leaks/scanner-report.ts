import { type KeyObject, verify } from "node:crypto";
import { isJsonObject } from "../vocabulary/json-object.ts";
import { invalid, RequestFault } from "../vocabulary/request-fault.ts";
import { LEAK_URL_CHARS_MAX, leakUrlProblem } from "./leak-url.ts";
import type { LeakReport } from "./report.ts";

// The form of GitHub's partner program for secret scanning: https://docs.github.com/code-security/secret-scanning.

/** One match of a pattern, as GitHub sends it. */
export interface ScannerMatch extends LeakReport {
  /** The name of the pattern, which goes back with the label. */
  readonly type: string;
}

/** The answer to GitHub for a match, so that it learns which of its matches are keys. */
export interface ScannerFeedback {
  readonly token_raw: string;
  readonly token_type: string;
  readonly label: "true_positive" | "false_positive";
}

const BASE64 = /^[0-9A-Za-z+/]+={0,2}$/;
/** An ECDSA signature of P-256 has at most 72 bytes. */
const SIGNATURE_CHARS_MAX = 128;
const NAME_CHARS_MAX = 64;

/** Whether a body, as it came, has this signature: ECDSA with P-256 and SHA-256, in ASN.1 and base64. */
export function isSignedByScanner(key: KeyObject, signature: string, body: Uint8Array): boolean {
  if (signature.length > SIGNATURE_CHARS_MAX || !BASE64.test(signature)) return false;
  return verify("sha256", body, key, Buffer.from(signature, "base64"));
}

/** Reads the matches of a body. Ignores texts that cannot be keys, and unknown members. Throws `RequestFault`. */
export function scannerMatches(body: unknown): ScannerMatch[] {
  if (!Array.isArray(body))
    throw new RequestFault("malformed_body", "body: must be a list of objects with token, type, url and source");
  return body.map((match, index) => {
    if (!isJsonObject(match) || typeof match.token !== "string" || typeof match.type !== "string")
      throw invalid(`[${index}]`, "must be an object with token and type, both texts");
    const { token, type, url, source } = match;
    return {
      secret: token,
      type,
      url:
        typeof url === "string" && url.length <= LEAK_URL_CHARS_MAX && leakUrlProblem(url) === undefined ? url : null,
      source: typeof source === "string" && source !== "" ? source.slice(0, NAME_CHARS_MAX) : null,
    };
  });
}

/** `secrets` are the texts that are keys. */
export function scannerFeedback(matches: readonly ScannerMatch[], secrets: ReadonlySet<string>): ScannerFeedback[] {
  return matches.map(({ secret, type }) => ({
    token_raw: secret,
    token_type: type,
    label: secrets.has(secret) ? "true_positive" : "false_positive",
  }));
}
