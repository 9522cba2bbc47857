import { type DescMessage, fromJson, type JsonObject, type MessageInitShape, ScalarType } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { Authorization, CheckRequestSchema } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { ENVOY_CHECK } from "../../src/transport/endpoints/envoy-check.ts";
import { allRoutes } from "../fuzz/requests/routes.ts";
import { newBoundToken } from "../harness/bound-tokens.ts";
import { EXCHANGE, JWT_TYPE, newEmployer, postForm } from "../harness/federation.ts";
import { GITHUB_LEAKS, newScannerKey, sendMatches, startGithubKeyServer } from "../harness/github.ts";
import { newTenant } from "../harness/latchkey.ts";
import { askHook, BEARER_SECRET, HOOK_PATH, HOOK_PAYLOADS } from "../harness/login-hook.ts";
import { bearer, PLATFORM_KEY, startPublishable } from "../harness/publishable.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";
import { trusting } from "../harness/trusted-proxies.ts";

// PostgreSQL stores no NUL. A text with one that reaches it is a 500, which anyone could bring about. In messages of RPCs it is rejected
// with the schema (validation.ts); this is about all texts that come in by another way.

const SCANNER = newScannerKey("a".repeat(64));
const github = await startGithubKeyServer([SCANNER]);
const service = await startPublishable({
  identityHookSecrets: [BEARER_SECRET],
  githubKeysUrl: github.url,
  trustedProxies: trusting(["127.0.0.1"]),
});
const { latchkey } = service;
const dashboard = await latchkey.dashboard(newTenant());
const { key } = await latchkey.createKey(dashboard, { permissions: ["*"] });

type Path = readonly (string | number)[];

/** The ways to each text of a value in JSON. */
function textsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, [...path, name]));
}

function withNul<Value extends object>(value: Value, path: Path): Value {
  const copy = structuredClone(value);
  let place = copy as Record<string | number, unknown>;
  for (const name of path.slice(0, -1)) place = place[name] as typeof place;
  const last = path.at(-1) ?? "";
  place[last] = `${place[last]}\0`;
  return copy;
}

/** Sends the value with a NUL in each of its texts in turn. Resolves with the texts for which the answer was a 5xx. */
async function failing<Value extends object>(
  value: Value,
  send: (sent: Value) => Promise<{ readonly status: number }>,
): Promise<string[]> {
  const paths = textsIn(value);
  expect(paths).not.toEqual([]);
  const failed: string[] = [];
  for (const path of paths) if ((await send(withNul(value, path))).status >= 500) failed.push(path.join("."));
  return failed;
}

const employer = await newEmployer(service);
const { rule_id } = await employer.create();

/** What Envoy may describe: a value for each text of the schema. */
const DESCRIBED: JsonObject = {
  attributes: {
    source: { address: { socketAddress: { address: "203.0.113.7" } } },
    request: {
      http: {
        ...{ method: "POST", scheme: "https", host: "a.example", path: "/a?b=c" },
        headers: { "x-api-key": key, "x-on-behalf-of": "user-7", "x-request-id": "req-1", traceparent: "00-1-2-01" },
        headerMap: {
          headers: ["x-forwarded-for", "forwarded", "origin", "dpop", "user-agent", "content-type"].map((name) => ({
            ...{ key: name, value: "a" },
          })),
        },
      },
    },
    contextExtensions: { scope: "plans:read", cost: "1", remove: "x-api-key" },
  },
};

/** How each endpoint that reads a body is sent NULs, in each text that it may read. */
const BODIES: Readonly<Record<string, () => Promise<string[]>>> = {
  async "/oauth/token"() {
    const form = {
      ...{
        grant_type: EXCHANGE,
        client_id: rule_id,
        subject_token: employer.assertion(),
        subject_token_type: JWT_TYPE,
      },
      ...{ requested_token_type: JWT_TYPE, audience: TOKEN_ISSUER, scope: "plans:read", "a name\0": "a" },
    };
    return failing(form, (sent) => postForm(latchkey, sent));
  },
  async [HOOK_PATH]() {
    const own = await failing({ sub: "user-1", issuer: "https://a.example" }, (sent) => askHook(latchkey, sent));
    const others = Object.entries(HOOK_PAYLOADS).map(([dialect, payload]) =>
      failing(payload("user-1"), (sent) => askHook(latchkey, sent, `?dialect=${dialect}`)),
    );
    return [...own, ...(await Promise.all(others)).flat()];
  },
  async [GITHUB_LEAKS]() {
    const { key: token } = await latchkey.createKey(dashboard);
    const match = { token, type: "a", url: "https://a.example", source: "b" };
    return failing(match, (sent) => sendMatches(latchkey, [sent], SCANNER));
  },
  async [`/${ENVOY_CHECK}`]() {
    const envoy = createClient(Authorization, createGrpcTransport({ baseUrl: latchkey.url }));
    const check = async (request: MessageInitShape<typeof CheckRequestSchema>) => {
      const { httpResponse } = await envoy.check(request);
      return { status: (httpResponse.case === "deniedResponse" && httpResponse.value.status?.code) || 200 };
    };
    const rawValue = Buffer.from("user-7\0");
    const headers = [
      { key: "x-api-key", value: key },
      { key: "x-on-behalf-of", rawValue },
    ];
    expect((await check({ attributes: { request: { http: { headerMap: { headers } } } } })).status).toBe(400);
    return failing(DESCRIBED, (sent) => check(fromJson(CheckRequestSchema, sent)));
  },
};

/** The tokens of strangers, each with calls that read most of it. */
const TOKENS: Readonly<Record<string, () => Promise<string[]>>> = {
  async "a dashboard user"() {
    const { platform } = service;
    const claims = platform.claims({ jti: "a", azp: "a", email: "jo@example.com", scope: "a", act: { sub: "a" } });
    const made = { name: "a", permissions: ["plans:read"] };
    const create = (token: string) => latchkey.call("/api/v1/api-keys/create", made, bearer(token));
    const header = { kid: PLATFORM_KEY.jwk.kid ?? "", typ: "JWT" };
    return [
      ...(await failing(claims, (sent) => create(platform.token(sent)))),
      ...(await failing(claims, (sent) =>
        latchkey.call("/api/v1/orgs/create", { name: "a" }, bearer(platform.token(sent))),
      )),
      ...(await failing(header, (sent) => create(platform.token({}, undefined, sent)))),
    ];
  },
  async "a user of a publishable key"() {
    const app = await service.newApp();
    return failing(app.claims({ jti: "a", azp: "a", scope: "a" }), (sent) => app.verify(app.token(sent)));
  },
  async "a workload"() {
    const claims = { iss: employer.platform.issuer, aud: employer.audience, sub: "a", repository_id: "42", jti: "a" };
    return failing(claims, (sent) => employer.exchange(rule_id, employer.assertion(sent)));
  },
  async "the sender of a proof"() {
    const bound = await newBoundToken(latchkey);
    const path = "/api/v1/auth/verify";
    const claims = { jti: "a", htm: "POST", htu: TOKEN_ISSUER + path, nonce: "a" };
    const header = { typ: "dpop+jwt", kid: "a", jwk: { ...bound.sender.jwk } };
    return [
      ...(await failing(claims, async (sent) => latchkey.call(path, {}, await bound.headers(path, { claims: sent })))),
      ...(await failing(header, async (sent) => latchkey.call(path, {}, await bound.headers(path, { header: sent })))),
    ];
  },
};

describe("a NUL is not a 5xx", () => {
  // threat: B17
  test.each(Object.entries(BODIES))("in any text of the body of %s", async (_path, failed) => {
    expect(await failed()).toEqual([]);
  });

  // threat: B17
  test.each(Object.entries(TOKENS))("in any text of the token of %s", async (_whose, failed) => {
    expect(await failed()).toEqual([]);
  });

  // threat: B17
  test("in the path or the query of any endpoint", async () => {
    const failed: string[] = [];
    for (const { name, method } of allRoutes().filter(({ input }) => input === undefined)) {
      for (const target of ["?scope=%00&cost=%00&dialect=%00", "?%00=a&path=/%00", "/%00", "%00"].map(
        (end) => name + end,
      )) {
        const { status } = await fetch(latchkey.url + target, { method, headers: { "x-api-key": key } });
        if (status >= 500) failed.push(target);
      }
    }
    expect(failed).toEqual([]);
  });
});

test("every endpoint with a body is among them, and every text that Envoy can send", () => {
  const reading = allRoutes().filter(({ input, method }) => input === undefined && method === "POST");
  expect([...reading.map(({ name }) => name), `/${ENVOY_CHECK}`].toSorted()).toEqual(Object.keys(BODIES).toSorted());
  const sent = new Set(textsIn(DESCRIBED).map((path) => path.filter((name) => !/^\d+$/.test(String(name))).join(".")));
  for (const path of fieldsOf(CheckRequestSchema))
    expect(
      [...sent].some((one) => `${one}.`.startsWith(`${path}.`)),
      path,
    ).toBe(true);
});

function fieldsOf(message: DescMessage, before = ""): string[] {
  return message.fields.flatMap((field) => {
    const path = before + field.jsonName;
    if (field.message !== undefined) return fieldsOf(field.message, `${path}.`);
    return field.scalar === ScalarType.STRING || field.fieldKind === "map" ? [path] : [];
  });
}

test("nothing that is written later fails by a NUL, either", async () => {
  await latchkey.close();
  await github.close();
  const failures = latchkey.logLines
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === "error" || level >= 50);
  expect(failures).toEqual([]);
});
