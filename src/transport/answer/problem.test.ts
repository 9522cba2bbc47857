import { describe, expect, test } from "vitest";
import { faultAnswer } from "./envelope.ts";
import { PlainHeaders } from "./plain-headers.ts";
import { asProblem } from "./problem.ts";

const PROBLEM = "application/problem+json";

test("an error is a problem of RFC 9457, with the members of the error beside it", () => {
  const { details, ...error } = JSON.parse(String(faultAnswer("invalid_host").body));
  const { status, headers, body } = asProblem(faultAnswer("invalid_host"), PROBLEM, "");
  expect(status).toBe(400);
  expect(headers.list).toEqual(["content-type", PROBLEM]);
  expect(JSON.parse(body.toString())).toEqual({
    type: "/docs/errors#invalid_header",
    title: "Invalid header",
    status: 400,
    detail: error.message,
    code: "invalid_argument",
    reason: "invalid_header",
    details,
  });
});

test("an abbreviation in a title is in capitals", () => {
  const body = JSON.stringify({ code: "unauthenticated", reason: "api_key_revoked", message: "Revoked." });
  const problem = asProblem({ status: 401, code: "unauthenticated", headers: new PlainHeaders(), body }, PROBLEM, "");
  expect(JSON.parse(problem.body.toString()).title).toBe("API key revoked");
});

describe("an answer is as it was", () => {
  test.each([
    undefined,
    "",
    "*/*",
    "application/*",
    "application/json",
    "application/problem+json;q=0",
    "application/problem+json;q=x",
    "application/json, application/problem+json;q=0.9",
    "application/json, application/problem+json",
    "application/problem+xml",
  ])("for a client with Accept %j", (accept) => {
    const answer = faultAnswer("not_found");
    expect(asProblem(answer, accept, "")).toBe(answer);
  });

  test.each([
    [200, '{"code":"ok"}'],
    [503, '{"status":"not ready"}'],
    [404, "<!doctype html>"],
    [404, ""],
  ])("if it is not an error in JSON: %i %s", (status, body) => {
    const answer = { status, code: "unknown", headers: new PlainHeaders(), body } as const;
    expect(asProblem(answer, PROBLEM, "")).toBe(answer);
  });
});

test.each([
  PROBLEM,
  "Application/Problem+JSON",
  "application/json;q=0.9, application/problem+json",
  "text/html, application/problem+json; q=0.5, */*; q=0.1",
])("Accept %j asks for problems", (accept) => {
  expect(asProblem(faultAnswer("not_found"), accept, "").headers.list).toContain(PROBLEM);
});

test("the type of a problem is the page where its reader finds it, or about:blank", () => {
  const typeAt = (docsUrl: string | undefined): unknown =>
    JSON.parse(asProblem(faultAnswer("not_found"), PROBLEM, docsUrl).body.toString()).type;
  expect(typeAt("https://keys.example/latchkey")).toBe("https://keys.example/latchkey/docs/errors#path_not_found");
  expect(typeAt(undefined)).toBe("about:blank");
});
