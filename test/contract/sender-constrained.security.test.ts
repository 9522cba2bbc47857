// promise: dpop.bound, dpop.exchange
import { readdirSync, readFileSync } from "node:fs";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { decodeJwt } from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { Authorization } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { decide, EDGE_TOKEN, startEdge } from "../harness/edges.ts";
import { EXCHANGE, JWT_TYPE, newEmployer, postForm } from "../harness/federation.ts";
import { callGrpcWeb } from "../harness/grpc-web.ts";
import { newSender, type ProofParts } from "../harness/proofs.ts";
import { startPublishable } from "../harness/publishable.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";
import { trusting } from "../harness/trusted-proxies.ts";

const service = await startPublishable({ trustedProxies: trusting(["127.0.0.1"]), edgeTokens: [EDGE_TOKEN] });
const { latchkey, platform } = service;
afterAll(() => Promise.all([latchkey.close(), service.keyHost.close()]));
const envoy = createClient(Authorization, createGrpcTransport({ baseUrl: latchkey.url }));
const [sender, stranger, app, employer] = await Promise.all([
  newSender(),
  newSender(),
  service.newApp({ fields: { permissions: ["plans:read"] } }),
  newEmployer(service),
]);
const { rule_id: ruleId } = await employer.create();
const VERIFY = "/api/v1/auth/verify";
const PROCEDURE = "/latchkey.v1.AuthService/Verify";
const LIST = "/api/v1/api-keys/list";
const CLIENT_URL = "https://app.example/plans";

interface Sent {
  readonly token: string;
  readonly scheme: "Bearer" | "DPoP";
  readonly proof?: string | undefined;
}

/** How a call ended: `admitted`, or how it was refused, with its message. */
interface Ended {
  readonly outcome: string;
  readonly message: string;
}

/** A way in for tokens of an issuer that is not this service. */
interface Door {
  /** What verifies the token there. */
  readonly verifiedIn: string;
  readonly proves: readonly [method: string, url: string];
  /** Where a token is not in `Authorization`, its proof alone says that it is bound. */
  readonly hasNoScheme?: true;
  /** A valid token with these claims. */
  token(claims: Record<string, unknown>): string;
  send(sent: Sent): Promise<Ended>;
}

const OF_KEYS = "src/interceptors/gate/keys.ts";
const OF_DASHBOARD = "src/interceptors/gate/dashboard-user.ts";
const REFUSED = "401 jwt_malformed";

function headersOf({ token, scheme, proof }: Sent): Record<string, string> {
  return { authorization: `${scheme} ${token}`, ...(proof !== undefined && { dpop: proof }) };
}

async function ended(answer: Pick<Response, "status" | "text">): Promise<Ended> {
  const text = await answer.text();
  const json = text === "" ? {} : JSON.parse(text);
  const reason = json.denial_reason ?? json.error ?? json.code;
  const message = json.message ?? json.error_description ?? "";
  return { outcome: answer.status === 200 ? "admitted" : `${answer.status} ${reason}`, message };
}

const post = async (path: string, headers: Record<string, string>) => {
  const body = "{}";
  return ended(
    await fetch(latchkey.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    }),
  );
};

async function overGrpcWeb(headers: Record<string, string>): Promise<Ended> {
  const { error } = await callGrpcWeb(latchkey.url, PROCEDURE, "json", "{}", headers);
  if (error === undefined) return { outcome: "admitted", message: "" };
  const { code, message = "" } = error;
  return { outcome: code === "unauthenticated" ? REFUSED : code, message };
}

async function authCheck(headers: Record<string, string>): Promise<Ended> {
  const described = {
    ...{ "x-forwarded-method": "GET", "x-forwarded-proto": "https" },
    ...{ "x-forwarded-host": "app.example", "x-forwarded-uri": "/plans" },
  };
  return ended(await fetch(`${latchkey.url}/auth/check`, { headers: { ...described, ...headers } }));
}

async function envoyCheck(headers: Record<string, string>): Promise<Ended> {
  const http = { method: "GET", scheme: "https", host: "app.example", path: "/plans", headers };
  const { httpResponse } = await envoy.check({ attributes: { request: { http } } });
  if (httpResponse.case === "okResponse") return { outcome: "admitted", message: "" };
  const { status, body = "{}" } = httpResponse.value ?? {};
  return ended(new Response(body, { status: status?.code ?? 500 }));
}

async function exchange({ token, proof }: Sent): Promise<Ended> {
  const form = { grant_type: EXCHANGE, client_id: ruleId, subject_token: token, subject_token_type: JWT_TYPE };
  const answer = await postForm(latchkey, form, proof === undefined ? {} : { dpop: proof });
  return ended(new Response(answer.text, { status: answer.status }));
}

const ofUser = (claims: Record<string, unknown>) => app.token(claims);
const ofDashboard = (claims: Record<string, unknown>) => platform.token(claims);
const withKey = (sent: Sent) => ({ ...app.keyHeader, ...headersOf(sent) });
const rpc = (path: string): Door["proves"] => ["POST", TOKEN_ISSUER + path];
const PROXIED = ["GET", CLIENT_URL] as const;

const DOORS: Readonly<Record<string, Door>> = {
  "a publishable key": {
    ...{ verifiedIn: OF_KEYS, proves: rpc(VERIFY), token: ofUser },
    send: (sent) => post(VERIFY, withKey(sent)),
  },
  "a publishable key over gRPC-Web": {
    ...{ verifiedIn: OF_KEYS, proves: rpc(PROCEDURE), token: ofUser },
    send: (sent) => overGrpcWeb(withKey(sent)),
  },
  "the dashboard": {
    ...{ verifiedIn: OF_DASHBOARD, proves: rpc(LIST), token: ofDashboard },
    send: (sent) => post(LIST, headersOf(sent)),
  },
  "the dashboard over gRPC-Web": {
    ...{ verifiedIn: OF_DASHBOARD, proves: rpc(PROCEDURE), token: ofDashboard },
    send: (sent) => overGrpcWeb(headersOf(sent)),
  },
  "/auth/check with a publishable key": {
    ...{ verifiedIn: OF_KEYS, proves: PROXIED, token: ofUser },
    send: (sent) => authCheck(withKey(sent)),
  },
  "/auth/check": {
    ...{ verifiedIn: OF_DASHBOARD, proves: PROXIED, token: ofDashboard },
    send: (sent) => authCheck(headersOf(sent)),
  },
  "Envoy's Check with a publishable key": {
    ...{ verifiedIn: OF_KEYS, proves: PROXIED, token: ofUser },
    send: (sent) => envoyCheck(withKey(sent)),
  },
  "Envoy's Check": {
    ...{ verifiedIn: OF_DASHBOARD, proves: PROXIED, token: ofDashboard },
    send: (sent) => envoyCheck(headersOf(sent)),
  },
  "/oauth/token": {
    ...{ verifiedIn: "src/domain/federation/assertion.ts", proves: rpc("/oauth/token"), hasNoScheme: true },
    ...{ token: (claims) => employer.assertion(claims), send: exchange },
  },
};

/** What verifies tokens and is no door: an edge asks for tokens that came to it as Bearer, below. */
const NO_DOORS = ["src/services/edge-service.ts"];

const BOUND = { cnf: { jkt: sender.jkt } };
/** Every other form of the claim, with what is no form at all. */
const UNCHECKABLE: readonly unknown[] = [
  { "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" },
  { jwk: sender.jwk },
  { jwe: "eyJ" },
  { kid: "k" },
  { jku: "https://idp.example/keys", kid: "k" },
  { unknown: "x" },
  { jkt: sender.jkt, "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" },
  { jkt: sender.jkt, kid: "k" },
  { jkt: "" },
  { jkt: sender.jkt.slice(1) },
  { jkt: [sender.jkt] },
  { jkt: null },
  {},
  [],
  [{ jkt: sender.jkt }],
  null,
  "",
  sender.jkt,
  5,
  true,
];

describe.each(Object.entries(DOORS))("at %s, a token of another issuer", (_name, door) => {
  const { proves, hasNoScheme } = door;
  const refused = hasNoScheme ? "400 invalid_grant" : REFUSED;
  const badProof = hasNoScheme ? "400 invalid_dpop_proof" : REFUSED;

  function prove(token: string, parts: ProofParts = {}, by = sender, [method, url] = proves): Promise<string> {
    const iat = Math.floor(latchkey.clock.now().getTime() / 1_000);
    const claims = { iat, ...parts.claims };
    return by.prove(method, url, hasNoScheme ? undefined : token, { ...parts, claims });
  }

  test("that is bound to a key is admitted with a proof of that key, each time with a new one", async () => {
    const token = door.token(BOUND);
    for (let n = 0; n < (hasNoScheme ? 1 : 3); n++)
      expect(await door.send({ token, scheme: "DPoP", proof: await prove(token) })).toMatchObject({
        outcome: "admitted",
      });
  });

  // threat: J28
  test("that is bound to a key is refused as Bearer and without a proof, also once it was admitted", async () => {
    const token = door.token(BOUND);
    const again = hasNoScheme ? door.token(BOUND) : token;
    expect((await door.send({ token, scheme: "DPoP", proof: await prove(token) })).outcome).toBe("admitted");
    for (const each of [again, door.token(BOUND)]) {
      const asBearer = await door.send({ token: each, scheme: "Bearer" });
      expect(asBearer.outcome).toBe(refused);
      expect(asBearer.message).toContain("cnf");
      expect((await door.send({ token: each, scheme: "DPoP" })).outcome).toBe(refused);
      if (hasNoScheme) continue;
      const proof = await prove(each);
      expect((await door.send({ token: each, scheme: "Bearer", proof })).outcome).toBe(refused);
    }
  });

  // threat: J28
  test("that is bound to a key is refused with a wrong proof, and with one that was used before", async () => {
    const token = door.token(BOUND);
    const send = (proof: string, of = token) => door.send({ token: of, scheme: "DPoP", proof });
    const now = Math.floor(latchkey.clock.now().getTime() / 1_000);
    const wrong: (readonly [what: string, proof: Promise<string> | string])[] = [
      ["another key's, which says cnf", prove(token, {}, stranger)],
      ["forged", prove(token, { header: { jwk: sender.jwk } }, stranger)],
      ["another method's", prove(token, {}, sender, ["PUT", proves[1]])],
      ["another URL's", prove(token, {}, sender, [proves[0], `${proves[1]}/x`])],
      ["another host's", prove(token, {}, sender, [proves[0], "https://other.example/plans"])],
      ["old", prove(token, { claims: { iat: now - 120 } })],
      ["without an id", prove(token, { claims: { jti: undefined } })],
      ["no proof", "x"],
      ["empty", ""],
    ];
    // Only a proof of a token in Authorization names it.
    if (!hasNoScheme) wrong.push(["another token's", prove(door.token({ ...BOUND, n: 1 }))]);
    for (const [what, proof] of wrong) {
      const { outcome, message } = await send(await proof);
      expect(outcome, what).toBe(what.includes("cnf") ? refused : badProof);
      expect(message, what).toContain(what.includes("cnf") ? "cnf" : "DPoP");
    }
    const proof = await prove(token);
    expect((await send(proof)).outcome).toBe("admitted");
    const another = hasNoScheme ? door.token(BOUND) : token;
    expect((await send(proof, another)).outcome).toBe(badProof);
  });

  // threat: J29
  test("that is bound in any other way is refused with cnf in the message, with and without a proof", async () => {
    for (const cnf of UNCHECKABLE) {
      const token = door.token({ cnf });
      const proof = await prove(token);
      const sents: Sent[] = [
        { token, scheme: "Bearer" },
        { token, scheme: "Bearer", proof },
        { token, scheme: "DPoP", proof },
      ];
      for (const sent of sents) {
        const { outcome, message } = await door.send(sent);
        expect(outcome, JSON.stringify({ cnf, ...sent })).toBe(refused);
        expect(message).toContain("cnf");
      }
    }
  });

  test("that is bound to no key is admitted as Bearer, and never by the scheme DPoP", async () => {
    const token = door.token({});
    const proof = await prove(token);
    const byDpop = await door.send({ token, scheme: "DPoP", proof });
    expect(byDpop.outcome).toBe(hasNoScheme ? "admitted" : refused);
    const bearer = hasNoScheme ? door.token({}) : token;
    expect((await door.send({ token: bearer, scheme: "Bearer" })).outcome).toBe("admitted");
  });
});

// threat: J28
test("every caller of the verifier of users' tokens is a door here, or is known to be none", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const callers = files.filter((name) => /\btokens\.verify\(/.test(readFileSync(`src/${name}`, "utf8")));
  const known = [...Object.values(DOORS).map(({ verifiedIn }) => verifiedIn), ...NO_DOORS];
  expect(callers.map((name) => `src/${name}`).sort()).toEqual([...new Set(known)].sort());
});

test("an exchange binds the new token to the key of the workload's own", async () => {
  const token = employer.assertion(BOUND);
  const iat = Math.floor(latchkey.clock.now().getTime() / 1_000);
  const dpop = await sender.prove("POST", `${TOKEN_ISSUER}/oauth/token`, undefined, { claims: { iat } });
  const form = { grant_type: EXCHANGE, client_id: ruleId, subject_token: token, subject_token_type: JWT_TYPE };
  const { json } = await postForm(latchkey, form, { dpop });
  expect(decodeJwt(json.access_token).cnf).toEqual(BOUND.cnf);
});

test("a proxy that does not describe the request has its bound tokens refused", async () => {
  const token = app.token(BOUND);
  const proof = await sender.prove("GET", CLIENT_URL, token);
  const headers = withKey({ token, scheme: "DPoP", proof });
  const { outcome, message } = await ended(await fetch(`${latchkey.url}/auth/check`, { headers }));
  expect(outcome).toBe(REFUSED);
  expect(message).toContain("cnf");
});

// threat: J29
test("an edge refuses bound tokens as Bearer as the service does, and puts tokens with a proof to it", async () => {
  const edge = await startEdge(latchkey.url);
  for (const cnf of [BOUND.cnf, ...UNCHECKABLE]) {
    const bearer = withKey({ token: app.token({ cnf }), scheme: "Bearer" });
    const verdict = await decide(edge, bearer);
    if (verdict?.kind !== "refused") throw new Error(`an edge did not refuse ${JSON.stringify(cnf)}`);
    const atService = await post(VERIFY, bearer);
    expect([`${verdict.status} ${JSON.parse(verdict.body).denial_reason}`, JSON.parse(verdict.body).message]).toEqual([
      atService.outcome,
      atService.message,
    ]);
  }
  const token = app.token(BOUND);
  const proof = await sender.prove("POST", TOKEN_ISSUER + VERIFY, token);
  expect(await decide(edge, withKey({ token, scheme: "DPoP", proof }))).toBeUndefined();
  expect((await decide(edge, withKey({ token: app.token({}), scheme: "Bearer" })))?.kind).toBe("admitted");
});
