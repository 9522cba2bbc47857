import { describe, expect, test } from "vitest";
import { expectDocumented } from "../harness/documented.ts";

const CREATE = "/api/v1/orgs/create";
const HEADERS = { "content-type": "application/json", "x-request-id": "req_1" };
const ORG = { org_id: "org_1", tenant_id: "ten_1", name: "Acme", created_at: "2026-01-31T12:00:00Z" };
const DENIED = {
  code: "unauthenticated",
  reason: "api_key_not_found",
  message: "No such API key exists; check it. See /docs/errors#api_key_not_found",
  denial_reason: "api_key_not_found",
};
const INVALID = { code: "invalid_argument", reason: "required", field: "name", message: "name: is required" };
const LIMITED = {
  code: "resource_exhausted",
  reason: "rate_limited",
  message: "Too fast; wait. See /docs/errors#rate_limited",
  denial_reason: "rate_limited",
  rate_limit: { limit: 1, remaining: 0, reset_at: "2026-01-31T12:00:00Z" },
};

function check(status: number, json: unknown, headers: Record<string, string> = {}, path = CREATE): () => void {
  return () => expectDocumented(path, { status, json, headers: new Headers({ ...HEADERS, ...headers }) });
}

test("an answer that matches the document passes", () => {
  expect(check(200, { result: ORG })).not.toThrow();
  expect(check(401, DENIED, { "www-authenticate": 'Bearer realm="latchkey"' })).not.toThrow();
  expect(check(429, LIMITED, { "retry-after": "1" })).not.toThrow();
  expect(
    check(429, { code: "resource_exhausted", reason: "too_many_lists", message: "Too many." }, { "retry-after": "1" }),
  ).not.toThrow();
  expect(
    check(404, { code: "not_found", reason: "path_not_found", message: "No such path." }, {}, "/api/v1/nothing"),
  ).not.toThrow();
  expect(check(400, INVALID)).not.toThrow();
  expect(check(400, { ...INVALID, field: undefined, message: "body: is empty" })).not.toThrow();
  expect(check(418, {}, {}, "/healthz")).not.toThrow();
});

describe("a test fails for an answer", () => {
  test.each([
    ["of an undocumented status", check(410, { code: "aborted", message: "x" }), "a status that"],
    ["of an unknown path", check(200, {}, {}, "/api/v1/nothing"), "a status that"],
    ["with a member that the schema does not have", check(200, { result: { ...ORG, extra: 1 } }), "additional prop"],
    ["with one more beside the result", check(200, { result: ORG, more: 1 }), "additional prop"],
    ["without a member", check(200, { result: { ...ORG, name: undefined } }), "required property 'name'"],
    ["with a member of another type", check(200, { result: { ...ORG, name: 5 } }), "must be string"],
    ["with an instant that is not in UTC", check(200, { result: { ...ORG, created_at: "2026-01-31" } }), "date-time"],
    ["that is no object", check(200, "text"), "must be object"],
    ["that is not JSON", check(200, {}, { "content-type": "text/html" }), "without being JSON"],
    ["without a request id", check(200, { result: ORG }, { "x-request-id": "" }), "X-Request-Id"],
    [
      "with a code that is not of its status",
      check(400, { ...INVALID, code: "internal" }),
      "does not have for the status",
    ],
    ["with an error's member that is unknown", check(400, { ...INVALID, a: 1 }), "additional"],
    ["that is an error without a reason", check(400, { ...INVALID, reason: undefined }), "required property 'reason'"],
    [
      "with a reason that is not of its status",
      check(400, { ...INVALID, reason: "key_not_found" }),
      "does not have for the status",
    ],
    [
      "with a reason of another code",
      check(400, { ...INVALID, reason: "key_revoked" }),
      "which is failed_precondition",
    ],
    [
      "that denies without denial_reason",
      check(401, { ...DENIED, denial_reason: undefined }, { "www-authenticate": 'Bearer realm="latchkey"' }),
      "without denial_reason or rate_limit",
    ],
    [
      "with another reason than that of its denial",
      check(401, { ...DENIED, reason: "jwt_expired" }, { "www-authenticate": 'Bearer realm="latchkey"' }),
      "with two reasons",
    ],
    [
      "whose message names a member, without it",
      check(400, { ...INVALID, field: undefined }),
      "without the field name",
    ],
    [
      "whose message names no member, with one",
      check(400, { ...INVALID, message: "is required" }),
      "does not begin with its field",
    ],
    ["that is 401 without WWW-Authenticate", check(401, DENIED), "without the header WWW-Authenticate"],
    [
      "that is 401 for a reason of 403",
      check(
        401,
        { ...DENIED, reason: "insufficient_scope", denial_reason: "insufficient_scope" },
        { "www-authenticate": 'Bearer realm="latchkey"' },
      ),
      "does not have for the status",
    ],
    [
      "that denies without a remedy",
      check(
        401,
        { ...DENIED, message: "No. See /docs/errors#api_key_not_found" },
        { "www-authenticate": 'Bearer realm="latchkey"' },
      ),
      "names no remedy",
    ],
    [
      "that denies without the address of its reason",
      check(
        401,
        { ...DENIED, message: "Check it. See /docs/errors#jwt_expired" },
        { "www-authenticate": 'Bearer realm="latchkey"' },
      ),
      "does not end with the section of its reason",
    ],
    ["that is 429 without Retry-After", check(429, LIMITED), "without the header Retry-After"],
    ["with a Retry-After of 0", check(429, LIMITED, { "retry-after": "0" }), "must be >= 1"],
    [
      "that is a denial of 429 without the limit",
      check(429, { ...LIMITED, rate_limit: undefined }, { "retry-after": "1" }),
      "without denial_reason or rate_limit",
    ],
    [
      "with a new key that may be cached",
      check(200, { result: { key_id: "a", key: "b", key_prefix: "c" } }, {}, "/api/v1/api-keys/create"),
      "without the header Cache-Control",
    ],
  ])("%s", (_what, answer, message) => {
    expect(answer).toThrow(message);
  });
});
