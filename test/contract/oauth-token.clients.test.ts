// promise: workloads.clients
import { describe, expect, test } from "vitest";
import { OAUTH_TOKEN } from "../../tools/protoc-gen-openapi/oauth-token.ts";
import { EXCHANGE, JWT_BEARER, JWT_TYPE, newEmployer, sharedFederation } from "../harness/federation.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";

// The endpoint as OAuth's clients call it: each parameter that it reads, empty, repeated and with white space around it, and each way
// in which a client says who it is.

const service = await sharedFederation();
const employer = await newEmployer(service);
const { rule_id: RULE } = await employer.create({ scopes: ["conversations:read", "plans:read"] });
const other = await employer.create();

/** Requests that succeed, by their grant, and have all parameters between them. */
const REQUESTS: Readonly<Record<string, () => Record<string, string>>> = {
  exchange: () => ({
    ...{ grant_type: EXCHANGE, client_id: RULE, subject_token: employer.assertion(), subject_token_type: JWT_TYPE },
    ...{ requested_token_type: "urn:ietf:params:oauth:token-type:access_token", scope: "plans:read" },
    ...{ audience: TOKEN_ISSUER, resource: TOKEN_ISSUER },
  }),
  bearer: () => ({ grant_type: JWT_BEARER, client_id: RULE, assertion: employer.assertion() }),
};
const PARAMETERS = Object.entries(REQUESTS).flatMap(([grant, request]) =>
  Object.keys(request()).map((name) => [grant, name] as const),
);
/** What no request has to say: an empty one is the default. */
const OPTIONAL = ["requested_token_type", "scope", "audience", "resource"];
/** RFC 8693, 2.1. */
const REPEATABLE = ["audience", "resource"];

async function post(fields: readonly (readonly [string, string])[], headers: Record<string, string> = {}) {
  const body = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]));
  const answer = await fetch(`${service.latchkey.url}/oauth/token`, { method: "POST", body, headers });
  const { error = "", scope } = (await answer.json()) as { error?: string; scope?: string };
  return { status: answer.status, error, scope };
}

const requestOf = (grant: string) => Object.entries(REQUESTS[grant]?.() ?? {});
const changed = (grant: string, name: string, change: (value: string) => string) =>
  requestOf(grant).map(([each, value]) => [each, each === name ? change(value) : value] as const);

test("the requests have each parameter that the OpenAPI document has", () => {
  const content = JSON.stringify(OAUTH_TOKEN.requestBody);
  const { properties } = JSON.parse(content).content["application/x-www-form-urlencoded"].schema;
  expect(new Set(PARAMETERS.map(([, name]) => name))).toEqual(new Set(Object.keys(properties)));
});

describe.each(PARAMETERS)("by %s, %s", (grant, name) => {
  test("may have white space around it, as the newline at the end of a file", async () => {
    expect(await post(changed(grant, name, (value) => ` ${value}\r\n`))).toMatchObject({ status: 200 });
  });

  test("is left out if it is empty", async () => {
    const empty = await post(changed(grant, name, () => ""));
    const absent = await post(requestOf(grant).filter(([each]) => each !== name));
    expect(empty).toEqual(absent);
    expect(empty.status).toBe(OPTIONAL.includes(name) ? 200 : 400);
    if (name === "scope") expect(empty.scope).toBe("conversations:read plans:read");
  });

  test("may be empty and have a value", async () => {
    expect(await post([...requestOf(grant), [name, ""]])).toMatchObject({ status: 200 });
  });

  test("has one value", async () => {
    const request = requestOf(grant);
    const repeated = await post([...request, ...request.filter(([each]) => each === name)]);
    expect(repeated).toMatchObject(
      REPEATABLE.includes(name) ? { status: 200 } : { status: 400, error: "invalid_request" },
    );
  });
});

test("parameters that cannot be served, and unknown ones, are left out if they are empty", async () => {
  const names = ["actor_token", "actor_token_type", "client_assertion", "client_secret", "options", "unknown"];
  const empty = names.map((name) => [name, ""] as const);
  expect(await post([...requestOf("exchange"), ...empty])).toMatchObject({ status: 200 });
});

test("a blank scope is one that the rule does not give", async () => {
  expect(await post(changed("exchange", "scope", () => " "))).toMatchObject({ status: 400, error: "invalid_scope" });
});

test.each(REPEATABLE)(
  "%s is the issuer, with and without the slash of an empty path, and nothing else",
  async (name) => {
    const [one, both, beside] = [
      await post(changed("exchange", name, () => `${TOKEN_ISSUER}/`)),
      await post([...requestOf("exchange"), [name, `${TOKEN_ISSUER}/`]]),
      await post([...requestOf("exchange"), [name, "https://other.example"]]),
    ];
    expect([one, both]).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(beside).toMatchObject({ status: 400, error: "invalid_target" });
  },
);

describe("a client says who it is", () => {
  const basic = (user: string, scheme = "Basic") => ({
    authorization: `${scheme} ${Buffer.from(user).toString("base64")}`,
  });
  const ask = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    post([...requestOf("exchange").filter(([name]) => name !== "client_id"), ...Object.entries(fields)], headers);

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ["by the form (none)", { client_id: RULE }, {}],
    ["by the form, with a secret (client_secret_post)", { client_id: RULE, client_secret: "x" }, {}],
    ["by HTTP Basic, with a secret (client_secret_basic)", {}, basic(`${RULE}:x`)],
    ["by HTTP Basic, without a secret", {}, basic(`${RULE}:`)],
    ["by HTTP Basic, encoded as a form, with a secret of colons", {}, basic(`${RULE.replace("_", "%5F")}:x:y:+%`)],
    ["by basic in lower case", {}, basic(`${RULE}:x`, "basic")],
    ["by both alike", { client_id: RULE }, basic(`${RULE}:x`)],
    ["by the form, beside a header of another scheme", { client_id: RULE }, { authorization: "Bearer x" }],
  ])("%s", async (_how, fields, headers) => {
    expect(await ask(fields, headers)).toMatchObject({ status: 200 });
  });

  // threat: Q14
  test.each<[string, Record<string, string>, Record<string, string>, string]>([
    ["nobody", {}, {}, "invalid_request"],
    ["an empty user", {}, basic(":x"), "invalid_request"],
    ["two rules", { client_id: other.rule_id }, basic(`${RULE}:x`), "invalid_request"],
    ["Basic without a colon", {}, basic(RULE), "invalid_request"],
    ["Basic that is not base64", { client_id: RULE }, { authorization: "Basic ä" }, "invalid_request"],
    ["Basic with NUL", {}, basic("fed_%00:x"), "invalid_request"],
    ["an unknown rule by Basic", {}, basic("fed_x:x"), "invalid_grant"],
    ["a signed assertion (private_key_jwt)", { client_id: RULE, client_assertion: "x" }, {}, "invalid_client"],
  ])("and is refused as %s", async (_who, fields, headers, error) => {
    expect(await ask(fields, headers)).toMatchObject({ status: 400, error });
  });
});
