// promise: errors.messages, callers.keys-manage-nothing, tokens.messages
// threat: K19, K20
import { connect } from "node:http2";
import { beforeAll, describe, expect, test } from "vitest";
import { toAnswer } from "../harness/http.ts";
import { newTenant } from "../harness/latchkey.ts";
import { bearer, type PublishableService, sharedPublishable } from "../harness/publishable.ts";
import { RPCS } from "../harness/rpcs.ts";
import { generateKey } from "../jwks/provider.ts";
import { AUTHORIZATION_MISTAKES } from "./mistakes/authorization.ts";
import { BODY_MISTAKES } from "./mistakes/bodies.ts";
import { KEY_MISTAKES } from "./mistakes/keys.ts";
import { type Credentials, type Mistake, messageOf } from "./mistakes/mistake.ts";
import { PATH_MISTAKES } from "./mistakes/paths.ts";
import { TOKEN_MISTAKES } from "./mistakes/tokens.ts";

const LIST_THREADS = "/api/v1/llm/gateway/list-threads";
const OIDC = { issuer: "https://idp.example.com", audience: "my-app" };
/** What every developer does wrong once: `test/contract/mistakes` read from top to bottom. */
const MISTAKES: readonly Mistake[] = [
  ...KEY_MISTAKES,
  ...AUTHORIZATION_MISTAKES,
  ...TOKEN_MISTAKES,
  ...PATH_MISTAKES,
  ...BODY_MISTAKES,
];
/** Those that a program with a generated client can make, too: none of its path, method or content type. */
const OF_PROGRAMS = MISTAKES.filter((mistake) => !PATH_MISTAKES.includes(mistake));

let service: PublishableService;
let credentials: Credentials;

beforeAll(async () => {
  service = await sharedPublishable();
  const { latchkey, platform } = service;
  const app = await service.newApp({ oidc: { ...OIDC, requiredClaims: { plan: "pro" } } });
  const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["conversations:read"] });
  credentials = {
    secretKey: key,
    publishableKey: app.keyHeader["x-api-key"],
    userToken: (claims, signer, header) => app.token({ plan: "pro", ...claims }, signer, header),
    dashboardToken: (claims) => platform.token({ tenant_id: newTenant(), ...claims }),
  };
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer<ArrayBuffer>;
}

function sent({ method = "POST", path = LIST_THREADS, headers = asDashboardUser, body = {} }: Mistake): Sent {
  const { "content-type": type = "application/json", ...own } = headers(credentials);
  return {
    method,
    path,
    headers: { ...own, ...(type !== "" && { "content-type": type }) },
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  };
}

function asDashboardUser({ dashboardToken }: Credentials): Record<string, string> {
  return bearer(dashboardToken());
}

async function answerTo({ method, path, headers, body }: Sent) {
  const response = await fetch(service.latchkey.url + path, { method, headers, ...(method !== "GET" && { body }) });
  return toAnswer(response);
}

test("the list has more than sixty mistakes, each once", () => {
  expect(MISTAKES.length).toBeGreaterThan(60);
  expect(new Set(MISTAKES.map((mistake) => `${mistake.mistake} ${mistake.says}`)).size).toBe(MISTAKES.length);
});

test.each(MISTAKES)("$mistake: $answer", async (mistake) => {
  const { status, json, text } = await answerTo(sent(mistake));
  expect([`${status} ${json.denial_reason ?? json.code}`, json.message]).toEqual([mistake.answer, messageOf(mistake)]);
  expect(json.message).toMatch(/^[\x20-\x7e]{1,600}$/);
  expectNoCredential(text);
});

describe.each(["gRPC", "gRPC-Web", "Connect"] as const)("over %s", (protocol) => {
  test.each(OF_PROGRAMS)("$mistake has the same answer", async (mistake) => {
    const { headers, body, path } = sent(mistake);
    const procedure = RPCS.find((rpc) => rpc.path === path)?.procedure ?? "";
    expect(await messageOver(protocol, { method: "POST", path: procedure, headers, body })).toBe(messageOf(mistake));
  });
});

/** The message of the error that a program is given. */
async function messageOver(protocol: "gRPC" | "gRPC-Web" | "Connect", call: Sent): Promise<string> {
  if (protocol === "gRPC") return grpcMessage(call);
  const isConnect = protocol === "Connect";
  const type = isConnect ? "application/json" : "application/grpc-web+json";
  const { json, text, headers } = await answerTo({
    ...call,
    headers: { ...call.headers, "content-type": type, ...(isConnect && { "connect-protocol-version": "1" }) },
    body: isConnect ? call.body : enveloped(call.body),
  });
  if (isConnect) return json.message;
  return decodeURIComponent(headers.get("grpc-message") ?? /grpc-message: (.*)\r/.exec(text)?.[1] ?? "");
}

async function grpcMessage({ path, headers, body }: Sent): Promise<string> {
  const session = connect(service.latchkey.url);
  try {
    return await new Promise((resolve, reject) => {
      const head = { ":method": "POST", ":path": path, te: "trailers", ...headers };
      const stream = session.request({ ...head, "content-type": "application/grpc+json" });
      const take = (received: { readonly "grpc-message"?: unknown }) => {
        if (received["grpc-message"] !== undefined) resolve(decodeURIComponent(String(received["grpc-message"])));
      };
      session.on("error", reject);
      stream.on("response", take).on("trailers", take).on("error", reject);
      stream.on("close", () => reject(new Error("no grpc-message")));
      stream.resume().end(enveloped(body));
    });
  } finally {
    session.close();
  }
}

function enveloped(message: Uint8Array): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([head, message]);
}

function expectNoCredential(text: string): void {
  for (const key of [credentials.secretKey, credentials.publishableKey]) expect(text).not.toContain(key.slice(0, 13));
  expect(text).not.toContain("eyJ");
}

describe("a message discloses nothing:", () => {
  const stranger = generateKey("ES256", { kid: "user-key" });

  test("the claims of a token with a wrong signature are not compared with the configuration", async () => {
    const messages = await Promise.all(
      [
        {},
        { iss: `${OIDC.issuer}/` },
        { iss: "https://evil.example" },
        { aud: "MY-APP" },
        { aud: "x" },
        { exp: 1 },
      ].map(async (claims) => {
        const headers = { "x-api-key": credentials.publishableKey, ...bearer(credentials.userToken(claims, stranger)) };
        return (await service.latchkey.call(LIST_THREADS, {}, headers)).json.message;
      }),
    );
    expect(new Set(messages).size).toBe(1);
  });

  test("it names no value of the configuration, unless the token's value is nearly equal", async () => {
    for (const claims of [{ iss: "https://other.example" }, { iss: undefined }, { aud: "other" }, { aud: undefined }]) {
      const headers = { "x-api-key": credentials.publishableKey, ...bearer(credentials.userToken(claims)) };
      const { text } = await service.latchkey.call(LIST_THREADS, {}, headers);
      for (const configured of Object.values(OIDC)) expect(text).not.toContain(configured);
    }
  });

  test.each(["iss", "aud", "kid"])("a key, a token and control characters in %s are not repeated", async (member) => {
    const { secretKey, publishableKey, userToken, dashboardToken } = credentials;
    const pasted = `${"x".repeat(100)}${secretKey}\r\n${dashboardToken()}\u001b\u202e${"y".repeat(500)}`;
    const token = member === "kid" ? userToken({}, stranger, { kid: pasted }) : userToken({ [member]: pasted });
    const answer = await service.latchkey.call(LIST_THREADS, {}, { "x-api-key": publishableKey, ...bearer(token) });
    expect(answer.json.message).toMatch(/^[\x20-\x7e]{1,600}$/);
    expect(answer.json.message).toContain("x".repeat(100));
    expectNoCredential(answer.text);
  });

  test("a key in the name of a member, in a scope or in a mask is not repeated", async () => {
    const { secretKey } = credentials;
    for (const [path, body] of [
      ["/api/v1/api-keys/create", { [secretKey]: 1 }],
      ["/api/v1/api-keys/create", { name: "a", permissions: [secretKey] }],
      ["/api/v1/api-keys/update", { key_id: "key_1", update_mask: secretKey }],
      [`/api/v1/api-keys/${secretKey}`, {}],
    ] as const) {
      expectNoCredential((await service.latchkey.call(path, body, asDashboardUser(credentials))).text);
    }
  });

  test("well-formed keys that do not exist have the same answer, byte for byte", async () => {
    const texts = await Promise.all(
      [`sk_${"0".repeat(30)}4LUZwA`, `pk_${"0".repeat(30)}3KzPDL`].map(async (key) => {
        return (await service.latchkey.call(LIST_THREADS, {}, { "x-api-key": key })).text;
      }),
    );
    expect(new Set(texts).size).toBe(1);
  });
});
