// promise: paths.admin
import { Code, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Authorization } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../gen/health/v1/health_pb.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { OperatorService } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { post } from "../harness/http.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";

const FIND = "/api/v1/operator/tenants/list";
const VERIFY = "/api/v1/auth/verify";
const SECRET = "login-hook-secret-of-the-tests-0123456789";

let latchkey: Latchkey;
let adminUrl: string;

beforeAll(async () => {
  latchkey = await startLatchkey({ config: { adminPort: 0, identityHookSecrets: [SECRET] } });
  if (latchkey.adminUrl === undefined) throw new Error("no admin port");
  adminUrl = latchkey.adminUrl;
});
afterAll(() => latchkey.close());

/** A POST whose answer the document need not have: on this port there is no such path. */
async function send(url: string, path: string, headers: Record<string, string>) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: "{}",
  });
  return { status: response.status, text: await response.text() };
}

const status = async (url: string, path: string): Promise<number> => (await fetch(url + path)).status;

/** Each protocol with the code by which its client reports the 404 of an unknown path. */
function transportsOf(baseUrl: string): [string, Transport, Code][] {
  return [
    ["Connect", createConnectTransport({ baseUrl, httpVersion: "1.1" }), Code.Unimplemented],
    ["gRPC", createGrpcTransport({ baseUrl }), Code.Unimplemented],
    ["gRPC-Web", createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }), Code.Unimplemented],
  ];
}

/** The services that reflection lists. */
async function reflected(service: typeof ServerReflection, baseUrl: string): Promise<string[]> {
  async function* questions() {
    yield { messageRequest: { case: "listServices", value: "" } as const };
  }
  const client = createClient(service, createGrpcTransport({ baseUrl }));
  for await (const { messageResponse } of client.serverReflectionInfo(questions())) {
    if (messageResponse.case === "listServicesResponse") return messageResponse.value.service.map(({ name }) => name);
  }
  return [];
}

describe("with an admin port, the main port", () => {
  test.each(["/metrics", "/docs", "/docs/start.js", "/docs/swagger-ui.css"])("does not have %s", async (path) => {
    const hidden = await fetch(latchkey.url + path);
    expect(hidden.status).toBe(404);
    expect(await hidden.json()).toMatchObject({ code: "not_found" });
  });

  test("does not have the operator's RPCs, over any protocol, whatever the credentials", async () => {
    const hidden = await send(latchkey.url, FIND, OPERATOR);
    expect(hidden.status).toBe(404);
    expect(hidden.text).toContain('"code":"not_found"');
    expect(hidden.text).not.toContain("/api/v1/operator");
    for (const [name, transport, code] of transportsOf(latchkey.url)) {
      const call = createClient(OperatorService, transport).listTenants({}, { headers: OPERATOR });
      await expect(call, name).rejects.toMatchObject({ code });
    }
    const binary = await fetch(`${latchkey.url}/latchkey.v1.OperatorService/ListTenants`, {
      method: "POST",
      headers: { ...OPERATOR, "content-type": "application/proto" },
    });
    expect(binary.status).toBe(404);
  });

  test.each([ServerReflection, ServerReflectionV1Alpha as unknown as typeof ServerReflection])(
    "does not have reflection",
    async (service) => {
      await expect(reflected(service, latchkey.url)).rejects.toMatchObject({ code: Code.Unimplemented });
    },
  );

  test("has the RPCs of callers, and /auth/check", async () => {
    const { key } = await latchkey.createKey(await latchkey.dashboard());
    expect((await latchkey.call(VERIFY, {}, { "x-api-key": key })).status).toBe(200);
    expect((await fetch(`${latchkey.url}/auth/check`, { headers: { "x-api-key": key } })).status).toBe(200);
  });
});

// threat: Q6
test("with CHECK_PORT the questions of proxies are only on the admin port", async () => {
  const bound = await startLatchkey({ config: { adminPort: 0, checkPort: "admin" } });
  try {
    const { key } = await bound.createKey(await bound.dashboard());
    const headers = { "x-api-key": key };
    for (const [url = "", checked, described] of [
      [bound.url, 404, Code.Unimplemented],
      [bound.adminUrl, 200, undefined],
    ] as const) {
      expect((await send(url, "/auth/check", headers)).status).toBe(checked);
      const envoy = createClient(Authorization, createGrpcTransport({ baseUrl: url }));
      const answer = envoy.check({ attributes: { request: { http: { headers } } } });
      if (described !== undefined) await expect(answer).rejects.toMatchObject({ code: described });
      else expect((await answer).httpResponse.case).toBe("okResponse");
    }
    expect((await bound.call(VERIFY, {}, headers)).status).toBe(200);
  } finally {
    await bound.close();
  }
});

describe("the admin port", () => {
  test("has metrics, the viewer, the operator's RPCs and reflection of all services", async () => {
    for (const path of ["/metrics", "/docs", "/docs/start.js", "/docs/swagger-ui.css"])
      expect(await status(adminUrl, path), path).toBe(200);
    expect((await post(adminUrl, FIND, {}, OPERATOR)).status).toBe(200);
    for (const [name, transport] of transportsOf(adminUrl)) {
      const call = createClient(OperatorService, transport).listTenants({}, { headers: OPERATOR });
      await expect(call, name).resolves.toBeDefined();
    }
    expect(await reflected(ServerReflection, adminUrl)).toEqual(
      expect.arrayContaining([OperatorService.typeName, AuthService.typeName]),
    );
  });

  test("checks the operator as the one port does", async () => {
    expect((await post(adminUrl, FIND, {})).json).toMatchObject({ denial_reason: "missing_credentials" });
  });

  test("does not have the RPCs of callers, /auth/check or the login hook", async () => {
    const { key } = await latchkey.createKey(await latchkey.dashboard());
    const headers = { "x-api-key": key };
    for (const path of [VERIFY, "/auth/check", "/api/v1/identity/claims", "/api/v1/api-keys/list"])
      expect((await send(adminUrl, path, headers)).status, path).toBe(404);
    for (const [name, transport, code] of transportsOf(adminUrl)) {
      const call = createClient(AuthService, transport).verify({}, { headers });
      await expect(call, name).rejects.toMatchObject({ code });
    }
  });
});

test("both ports have the probes, gRPC health and the document of the API", async () => {
  for (const url of [latchkey.url, adminUrl]) {
    for (const path of ["/healthz", "/readyz", "/openapi.json"]) expect(await status(url, path), path).toBe(200);
    const health = await createClient(Health, createGrpcTransport({ baseUrl: url })).check({});
    expect(health.status).toBe(ServingStatus.SERVING);
  }
});

test("the metrics count the requests of both ports", async () => {
  await fetch(`${latchkey.url}/auth/check`);
  await post(adminUrl, FIND, {}, OPERATOR);
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(text).toMatch(/^latchkey_request_duration_seconds_count\{procedure="auth\/check"/m);
  expect(text).toMatch(
    /^latchkey_request_duration_seconds_count\{procedure="latchkey.v1.OperatorService\/ListTenants"/m,
  );
});
