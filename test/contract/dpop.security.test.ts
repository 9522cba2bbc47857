// promise: dpop.bound, dpop.checks
import { describe, expect, test } from "vitest";
import { newBoundToken } from "../harness/bound-tokens.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { callGrpcWeb } from "../harness/grpc-web.ts";
import { post } from "../harness/http.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newSender } from "../harness/proofs.ts";
import { trusting } from "../harness/trusted-proxies.ts";

const latchkey = await sharedLatchkey({ trustedProxies: trusting(["127.0.0.1"]) });
const VERIFY = "/api/v1/auth/verify";
const PROCEDURE = "/latchkey.v1.AuthService/Verify";

interface Called {
  /** Undefined: admitted. */
  readonly denial: string | undefined;
  readonly challenge: string | null;
  readonly body: string;
}

interface Path {
  readonly path: string;
  readonly call: (headers: Record<string, string>) => Promise<Called>;
}

/** The lean path, and Connect's handler. */
const PATHS: Record<string, Path> = {
  "a plain call": {
    path: VERIFY,
    async call(headers) {
      const { status, json, text, headers: answered } = await latchkey.call(VERIFY, {}, headers);
      const denial = status === 200 ? undefined : `${status} ${json.denial_reason}`;
      return { denial, challenge: answered.get("www-authenticate"), body: text };
    },
  },
  "gRPC-Web": {
    path: PROCEDURE,
    async call(headers) {
      const { error, headers: answered } = await callGrpcWeb(latchkey.url, PROCEDURE, "json", "{}", headers);
      const denial = error === undefined ? undefined : `401 ${error.code}`;
      return { denial, challenge: answered.get("www-authenticate"), body: error?.message ?? "" };
    },
  },
};

describe.each(Object.entries(PATHS))("over %s, a bound token", (_name, { path, call }) => {
  async function expectRefused(headers: Record<string, string>, error: string): Promise<string> {
    const { denial, challenge, body } = await call(headers);
    expect(denial).toMatch(/^401 /);
    expect(body).toContain("DPoP");
    if (challenge !== null) {
      expect(challenge).toMatch(
        new RegExp(`^DPoP realm="latchkey", error="${error}", error_description="[^"]+", algs="ES256 `),
      );
    }
    return body;
  }

  test("is accepted with a proof, and a second one with its own", async () => {
    const bound = await newBoundToken(latchkey);
    for (let n = 0; n < 2; n++) expect((await call(await bound.headers(path))).denial).toBeUndefined();
  });

  test("is refused with a proof that was used before", async () => {
    const bound = await newBoundToken(latchkey);
    const headers = await bound.headers(path);
    expect((await call(headers)).denial).toBeUndefined();
    expect(await expectRefused(headers, "invalid_dpop_proof")).toContain("used before");
  });

  // threat: D6
  test("is refused as Bearer, and without a proof", async () => {
    const { token, prove } = await newBoundToken(latchkey);
    await expectRefused({ authorization: `Bearer ${token}` }, "invalid_token");
    await expectRefused({ authorization: `Bearer ${token}`, dpop: await prove(path) }, "invalid_token");
    await expectRefused({ authorization: `DPoP ${token}` }, "invalid_dpop_proof");
  });

  // threat: D6
  test("is refused with a proof for another method, URL, token, time or key", async () => {
    const bound = await newBoundToken(latchkey);
    const other = await newBoundToken(latchkey);
    const authorization = `DPoP ${bound.token}`;
    const now = Math.floor(latchkey.clock.now().getTime() / 1_000);
    const proofs = [
      bound.prove(path, {}, "GET"),
      bound.prove("/api/v1/tokens/derive"),
      bound.prove(`https://other.example${path}`),
      bound.prove(`${latchkey.url}${path}`),
      other.sender.prove("POST", path, other.token),
      bound.prove(path, { claims: { ath: undefined } }),
      bound.prove(path, { claims: { iat: now - 120 } }),
      bound.prove(path, { claims: { iat: now + 120 } }),
      bound.prove(path, { header: { typ: "JWT" } }),
      bound.prove(path, { header: { jwk: other.sender.jwk } }),
    ];
    for (const dpop of await Promise.all(proofs)) {
      const { denial } = await call({ authorization, dpop });
      expect(denial, dpop).toMatch(/^401 /);
    }
    await expectRefused({ authorization, dpop: await bound.prove(path, {}, "POST", other.sender) }, "invalid_token");
    expect((await call(await bound.headers(path))).denial).toBeUndefined();
  });

  test("is refused with two proofs", async () => {
    const bound = await newBoundToken(latchkey);
    const [one, two] = [await bound.prove(path), await bound.prove(path)];
    await expectRefused({ authorization: `DPoP ${bound.token}`, dpop: `${one}, ${two}` }, "invalid_dpop_proof");
  });

  test("is needed for the scheme DPoP", async () => {
    const sender = await newSender();
    const key = await derivingKey(latchkey);
    const { token } = await key.derive({ scopes: ["plans:read"] });
    const dpop = await sender.prove("POST", path, String(token));
    await expectRefused({ authorization: `DPoP ${token}`, dpop }, "invalid_token");
    expect((await call({ authorization: `Bearer ${token}`, dpop })).denial).toBeUndefined();
  });
});

// threat: D7
test("of one proof that is sent 20 times at once, one is accepted", async () => {
  const bound = await newBoundToken(latchkey);
  const headers = await bound.headers(VERIFY);
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(latchkey.url, VERIFY, {}, headers)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
});

test("a bound token is revoked as any other", async () => {
  const bound = await newBoundToken(latchkey);
  expect((await latchkey.call(VERIFY, {}, await bound.headers(VERIFY))).status).toBe(200);
  await latchkey.call(
    "/api/v1/api-keys/revoke",
    { key_id: bound.key.key_id },
    await latchkey.dashboard(bound.key.tenant),
  );
  const { status, json } = await latchkey.call(VERIFY, {}, await bound.headers(VERIFY));
  expect({ status, reason: json.denial_reason }).toEqual({ status: 401, reason: "api_key_revoked" });
});

describe("/auth/check takes the proof for the request that its proxy describes", () => {
  const URL_OF_CLIENT = "https://app.example/plans";
  const described = {
    "x-forwarded-method": "GET",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "app.example",
    "x-forwarded-uri": "/plans?page=2",
  };

  async function check(headers: Record<string, string>) {
    const answer = await fetch(`${latchkey.url}/auth/check?scope=plans:read`, { headers });
    return { status: answer.status, challenge: answer.headers.get("www-authenticate") ?? "" };
  }

  test("and refuses it for another one, and where the proxy describes none", async () => {
    const bound = await newBoundToken(latchkey);
    const headers = () => bound.headers(URL_OF_CLIENT, {}, "GET");
    expect((await check({ ...(await headers()), ...described })).status).toBe(200);
    for (const other of [
      { ...described, "x-forwarded-method": "POST" },
      { ...described, "x-forwarded-host": "other.example" },
      { ...described, "x-forwarded-uri": "/users" },
      { "x-forwarded-method": "GET" },
      {},
    ]) {
      const { status, challenge } = await check({ ...(await headers()), ...other } as Record<string, string>);
      expect(status).toBe(401);
      expect(challenge).toContain('DPoP realm="latchkey", error="invalid_dpop_proof"');
    }
    const own = await bound.headers("/auth/check", {}, "GET");
    expect((await check(own)).status).toBe(401);
  });
});

test("neither a token nor its proof is in the log", async () => {
  const bound = await newBoundToken(latchkey);
  const headers = await bound.headers(VERIFY);
  for (let n = 0; n < 2; n++) await latchkey.call(VERIFY, {}, headers);
  const log = latchkey.logLines.join("\n");
  expect(log).toContain("auth");
  for (const text of [bound.token, headers.dpop, ...headers.dpop.split("."), ...bound.token.split(".")]) {
    expect(log.includes(text)).toBe(false);
  }
});
