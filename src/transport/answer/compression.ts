import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Call } from "../../interceptors/call.ts";
import { acceptsCoding } from "../request/accept-encoding.ts";
import type { Incoming } from "../request/exchange.ts";
import type { PlainAnswer } from "./plain-answer.ts";

/** Bytes below which an answer is one packet in any case. */
const BYTES_MIN = 1_024;
/** Of 0 to 11: at 4, brotli takes about as long as gzip, and leaves less. */
const BROTLI_QUALITY = 4;

const CODINGS = [
  {
    name: "br",
    compress: (body: string | Uint8Array) =>
      promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  },
  { name: "gzip", compress: (body: string | Uint8Array) => promisify(gzip)(body) },
];

/**
 * Whether an answer may be compressed: to a page of our own origin, such as the console, alone. A browser says so in a header
 * that no page can set. Backends are near, and would pay for it with time.
 */
export function mayCompress({ headers }: Incoming): boolean {
  return headers["sec-fetch-site"] === "same-origin";
}

/**
 * The answer in the best coding that the request accepts, made in the thread pool.
 *
 * Not where the policy says `no_store`, which the RPCs have whose answers hold a key or a token: the length of a compressed
 * answer tells about a secret in it to those who can choose another part of the answer (BREACH). Pages of other origins, by
 * which an attacker would choose, get nothing compressed at all, and have no cookies to call with.
 */
export async function compressed(
  answering: PlainAnswer | Promise<PlainAnswer>,
  { headers }: Incoming,
  call: Call,
): Promise<PlainAnswer> {
  const answer = await answering;
  if (answer.status !== 200 || answer.body.length < BYTES_MIN || call.policy?.noStore !== false) return answer;
  const coding = CODINGS.find(({ name }) => acceptsCoding(name, headers["accept-encoding"]));
  if (coding === undefined) return answer;
  const body = await coding.compress(answer.body);
  answer.headers.set("content-encoding", coding.name);
  answer.headers.append("vary", "Accept-Encoding");
  return { ...answer, body };
}
