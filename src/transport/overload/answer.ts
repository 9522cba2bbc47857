import { faultAnswer } from "../answer/envelope.ts";
import type { PlainAnswer } from "../answer/plain-answer.ts";
import { PlainHeaders } from "../answer/plain-headers.ts";

const { headers: HEADERS, ...REFUSAL } = faultAnswer("overloaded");

/** The refusal of a request in an overloaded process. Made of texts that are ready: it must cost less than to serve it. */
export function overloadAnswer(): PlainAnswer {
  const headers = new PlainHeaders();
  headers.list.push(...HEADERS.list);
  return { ...REFUSAL, headers };
}
