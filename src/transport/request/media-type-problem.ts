import type { Incoming } from "./exchange.ts";
import { contentTypeOf } from "./media-type.ts";

const SEND = "send Content-Type: application/json";
/** Content types that common programs send by default. */
const DEFAULTS: ReadonlyMap<string, string> = new Map([
  [
    "application/x-www-form-urlencoded",
    `is application/x-www-form-urlencoded, as curl -d sends by default; ${SEND} and the body as JSON`,
  ],
  ["text/plain", `is text/plain, as fetch sends a text by default; ${SEND}`],
  ["multipart/form-data", `is multipart/form-data, as forms send; ${SEND} and the body as JSON`],
]);

/** Describes the problem of a content type that is not accepted, if it is a known one. Quotes only types of this list. */
export function mediaTypeProblem(req: Pick<Incoming, "headers" | "rawHeaders">): string | undefined {
  const problem = problemOf(req);
  return problem && `Content-Type: ${problem}.`;
}

function problemOf(req: Pick<Incoming, "headers" | "rawHeaders">): string | undefined {
  if (req.headers["content-type"] === undefined) return `is absent; ${SEND}`;
  const [type = "", ...parameters] = contentTypeOf(req)
    .split(";")
    .map((part) => part.trim().toLowerCase());
  if (type === "") return "must be there once; send application/json";
  if (type !== "application/json") return DEFAULTS.get(type);
  return parameters.some((parameter) => parameter.startsWith("charset="))
    ? `names another charset than utf-8; ${SEND} and the body in UTF-8`
    : `has a parameter that is not supported; ${SEND} without it`;
}
