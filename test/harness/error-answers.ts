import { expect } from "vitest";
import type { Answer } from "./http.ts";

/** What no caller may learn from a message: our types, libraries, SQL, hosts, files and stacks. */
const INTERNALS =
  /latchkey\.v1|protobuf|protovalidate|buf\.validate|connectrpc|google\.|proto3|kysely|pglite|postgres|sqlstate|\b(select|insert|update|delete)\b.*\b(from|into|set)\b|node_modules|node:|\.[cm]?[jt]s\b|\n\s+at |\bat \S+ \(|undefined|\[object|127\.0\.0\.1|localhost/i;

/** A 400 whose message begins with the JSON path of the member at fault. */
export function expectInvalid(answer: Answer, field: string, ...says: string[]): void {
  expectFault(answer, 400, "invalid_argument");
  expect(answer.json.message.split(": ", 1)[0], answer.text).toBe(field);
  for (const words of says) expect(answer.json.message).toContain(words);
}

/** A 400 because of the state of the key, not of what was sent. */
export function expectPrecondition(answer: Answer, field: string, ...says: string[]): void {
  expectOf(answer, 400, "failed_precondition", field, says);
}

/** What is to be made is there already. */
export function expectConflict(answer: Answer, field: string, ...says: string[]): void {
  expectOf(answer, 409, "already_exists", field, says);
}

function expectOf(answer: Answer, status: number, code: string, field: string, says: readonly string[]): void {
  expectFault(answer, status, code);
  expect(answer.json.message.split(": ", 1)[0], answer.text).toBe(field);
  for (const words of says) expect(answer.json.message).toContain(words);
}

export function expectNotFound(answer: Answer): void {
  expectFault(answer, 404, "not_found");
  expect(answer.json.reason).toMatch(/^no_organization$|_not_found$/);
}

/** The envelope of every fault that is no denial. */
export function expectFault(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json.code }, answer.text.slice(0, 1_000)).toEqual({ status, code });
  expect(answer.headers.get("content-type")).toBe("application/json");
  const members = Object.keys(answer.json).filter((member) => member !== "field");
  expect(members).toEqual(["code", "reason", "message", "details"]);
  expectPublicMessage(answer);
}

/** A sentence for the caller: short, on one line, without our internals. */
export function expectPublicMessage(answer: Answer): void {
  const { message } = answer.json;
  expect(message).toMatch(/^[\x20-\x7e]{1,800}$/);
  expect(message).not.toMatch(INTERNALS);
}
