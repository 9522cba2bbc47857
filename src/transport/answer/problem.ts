import { errorPageOf } from "../../domain/vocabulary/denial.ts";
import { isJsonObject } from "../../domain/vocabulary/json-object.ts";
import { mediaRanges } from "../request/accept.ts";
import type { Answer } from "./envelope.ts";
import type { PlainAnswer, PlainGrpcAnswer } from "./plain-answer.ts";

const PROBLEM_TYPE = "application/problem+json";
const ABBREVIATIONS = /\b(?:api|http|id|jwt|oidc|rpc|tls|url)\b/g;

/**
 * The same answer for a client whose `Accept` names `application/problem+json`: a problem of RFC 9457, with the members of our
 * error beside it. Of an answer that is not an error in JSON, nothing changes.
 *
 * `docsUrl` is where its reader finds the page of errors. Empty: on the port that answers. Undefined: nowhere.
 */
export function asProblem<Any extends PlainAnswer | PlainGrpcAnswer | Answer>(
  answer: Any,
  accept: string | undefined,
  docsUrl: string | undefined,
): Any {
  if (answer.status < 400 || accept === undefined || !prefersProblems(accept)) return answer;
  const error = errorIn(answer.body);
  if (error === undefined) return answer;
  const { message, ...facts } = error;
  const problem = { ...typeOf(error.reason, docsUrl), status: answer.status, detail: message, ...facts };
  answer.headers.set("content-type", PROBLEM_TYPE);
  return { ...answer, body: Buffer.from(JSON.stringify(problem)) };
}

/**
 * Whether it is named, and preferred to plain JSON if that is named, too: generated clients name all types of the OpenAPI
 * document, and expect the error that they know. A range with `*` names nothing.
 */
function prefersProblems(accept: string): boolean {
  if (!/problem\+json/i.test(accept)) return false;
  const ranges = mediaRanges(accept);
  const qualityOf = (type: string) =>
    Math.max(0, ...ranges.filter((one) => one.type === type).map((one) => one.quality));
  return qualityOf(PROBLEM_TYPE) > qualityOf("application/json");
}

/** Not every body of such a status is an error: `/readyz` answers 503 with its findings. */
function errorIn(body: Uint8Array | string): { readonly message: string; readonly reason?: unknown } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || typeof value.code !== "string") return undefined;
  return { ...value, message: String(value.message ?? "") };
}

/** The section of the page about errors that explains the reason, and the reason in words. */
function typeOf(reason: unknown, docsUrl: string | undefined): { readonly type: string; readonly title?: string } {
  if (typeof reason !== "string" || docsUrl === undefined) return { type: "about:blank" };
  const words = reason.replaceAll("_", " ").replace(ABBREVIATIONS, (word) => word.toUpperCase());
  return { type: errorPageOf(reason, docsUrl), title: words.charAt(0).toUpperCase() + words.slice(1) };
}
