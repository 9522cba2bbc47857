// promise: callers.users, callers.tenant, callers.ids, tokens.algorithms, tokens.keys, tokens.types, tokens.signature
// promise: tokens.compared
import { createHash, createHmac, createPublicKey } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { expectPublicMessage } from "../harness/error-answers.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import {
  bearer,
  PLATFORM_KEY,
  type Provider,
  type PublishableService,
  sharedPublishable,
  USER_KEY,
} from "../harness/publishable.ts";
import { encodePart, generateKey, openCanary, rsaKey, type SigningKey, signToken } from "../jwks/provider.ts";

const MINUTE = 60_000;

const STRANGER = generateKey("ES256");
const RSA = generateKey("RS256", { kid: "rsa" });
const BOUND = generateKey("PS256", { kid: "bound", alg: "PS256" });
const FOR_ENCRYPTION = generateKey("RS256", { kid: "enc", use: "enc" });
const FOR_WRAPPING = generateKey("RS256", { kid: "wrap", key_ops: ["encrypt"] });
const LEAKED = withMembers(generateKey("ES256", { kid: "leaked" }), { d: "AQ" });
const WEAK = withMembers(rsaKey(1_024), { kid: "weak" });
const OFF_CURVE = withMembers(generateKey("ES256"), { kid: "off-curve", x: Buffer.alloc(32, 7).toString("base64url") });
const SHORT_POINT = withMembers(generateKey("ES256"), { kid: "short", x: "AQ" });
const EXPONENT_ONE = withMembers(RSA, { kid: "e1", e: "AQ" });
const SECRET = "a published secret";
const SYMMETRIC = { kty: "oct", kid: "oct", alg: "HS256", k: Buffer.from(SECRET).toString("base64url") };
const UNUSABLE = [BOUND, FOR_ENCRYPTION, FOR_WRAPPING, LEAKED, WEAK, OFF_CURVE, SHORT_POINT, EXPONENT_ONE];
/** Beside the provider's own key: all of these are published, so that no case here fails for an unknown key. */
const PUBLISHED = [null, "key", {}, SYMMETRIC, ...[RSA, ...UNUSABLE].map(({ jwk }) => jwk)];

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

function withMembers(key: SigningKey, members: Record<string, unknown>): SigningKey {
  return { ...key, jwk: { ...key.jwk, ...members } };
}

type MakeToken = (provider: Provider, own: SigningKey) => string;

const header = (members: Record<string, unknown>): MakeToken => {
  return (provider, own) => signToken(own, provider.claims(), { alg: own.alg, kid: own.jwk.kid, ...members });
};

const signedWith = (key: SigningKey, alg = key.alg): MakeToken => {
  return (provider) => signToken({ ...key, alg }, provider.claims());
};

const claims = (changes: Record<string, unknown>): MakeToken => {
  return (provider, own) => provider.token(changes, own);
};

/** A payload with one more member, at its end, as JSON text: a value that JavaScript lacks, or a duplicate name. */
function withMember(members: Record<string, unknown>, member: string): string {
  return JSON.stringify(members).replace(/}$/, `,${member}}`);
}

const fromNow = (claim: string, seconds: number): MakeToken => {
  return (provider, own) => provider.token({ [claim]: Number(provider.claims().iat) + seconds }, own);
};

const signature = (bytes: Buffer): MakeToken => {
  return (provider) => provider.token().replace(/[^.]*$/, bytes.toString("base64url"));
};

const form = (change: (header: string, payload: string, signature: string) => string): MakeToken => {
  return (provider) => {
    const [first = "", second = "", third = ""] = provider.token().split(".");
    return change(first, second, third);
  };
};

function mac(secret: string | Buffer, kid: unknown): MakeToken {
  return (provider) => {
    const input = `${encodePart({ alg: "HS256", kid })}.${encodePart(provider.claims())}`;
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
  };
}

const pem = createPublicKey(RSA.privateKey).export({ type: "spki", format: "pem" }).toString();
const der = createPublicKey(RSA.privateKey).export({ type: "spki", format: "der" });

/** With the exponent 1 a signature is the padded hash itself, which anyone can compute. */
const forgedByExponentOne: MakeToken = (provider) => {
  const input = `${encodePart({ alg: "RS256", kid: "e1" })}.${encodePart(provider.claims())}`;
  const hash = createHash("sha256").update(input).digest();
  const info = Buffer.concat([Buffer.from("3031300d060960864801650304020105000420", "hex"), hash]);
  const padding = Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(256 - 3 - info.length, 255), Buffer.from([0])]);
  return `${input}.${Buffer.concat([padding, info]).toString("base64url")}`;
};

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const bomBefore: MakeToken = (provider, own) =>
  signToken(own, Buffer.concat([BOM, Buffer.from(JSON.stringify(provider.claims()))]));

const CASES: Record<string, readonly (readonly [string, MakeToken])[]> = {
  admitted: [
    ["nothing odd", header({})],
    ["an RSA key", signedWith(RSA)],
    ["a key bound to its algorithm", signedWith(BOUND)],
    ["aud in a list", (provider, own) => provider.token({ aud: ["x", provider.audience] }, own)],
    // The exact five seconds are in `token-checks.test.ts`, where no time passes.
    ["its exp 1 s ago", fromNow("exp", -1)],
    ...[undefined, "jwt", "at+jwt", "application/AT+JWT"].map((typ) => [`the typ ${typ}`, header({ typ })] as const),
  ],
  jwt_invalid_signature: [
    ...["none", "None", "NONE", "HS256", "", "es256"].map((alg) => [`alg ${alg}`, header({ alg })] as const),
    ["alg none and no signature", (provider, own) => header({ alg: "none" })(provider, own).replace(/[^.]*$/, "")],
    ["a MAC by the public key's PEM", mac(pem, "rsa")],
    ["a MAC by the PEM without its line break", mac(pem.trimEnd(), "rsa")],
    ["a MAC by the public key's DER", mac(der, "rsa")],
    ["a MAC by the public JWK", mac(JSON.stringify(RSA.jwk), "rsa")],
    ["a MAC by the modulus", mac(String(RSA.jwk.n), "rsa")],
    ["a MAC by a published secret", mac(SECRET, "oct")],
    ["another algorithm than its key's", signedWith(BOUND, "RS256")],
    ["a key for encryption", signedWith(FOR_ENCRYPTION)],
    ["a key whose operations are others", signedWith(FOR_WRAPPING)],
    ["a key published with its private part", signedWith(LEAKED)],
    ["RSA of 1,024 bits", signedWith(WEAK)],
    ["RSA with the exponent 1", forgedByExponentOne],
    ["a point off its curve", signedWith(OFF_CURVE)],
    ["a point too short", signedWith(SHORT_POINT)],
    ...["unknown", "", "../../dev/null", "' OR 1=1 --", "__proto__", "x".repeat(8_000)].map(
      (kid) => [`the kid ${kid.slice(0, 20)}`, header({ kid })] as const,
    ),
    ["another key under a known kid", (provider, own) => provider.token({}, { ...STRANGER, jwk: own.jwk })],
    ["a signature of zeros", signature(Buffer.alloc(64))],
    ["a signature with r = 0", signature(Buffer.concat([Buffer.alloc(32), Buffer.alloc(32, 1)]))],
    ["a signature too long", signature(Buffer.alloc(65, 1))],
    ["a DER signature", signature(Buffer.from("3006020101020101", "hex"))],
    ["no signature", signature(Buffer.alloc(0))],
  ],
  jwt_malformed: [
    ...[1, null, ["k"], {}].map((kid) => [`the kid ${JSON.stringify(kid)}`, header({ kid })] as const),
    ...["logout+jwt", "dpop+jwt", "secevent+jwt", "", null, 1].map(
      (typ) => [`the typ ${JSON.stringify(typ)}`, header({ typ })] as const,
    ),
    ["the event of a logout", claims({ events: { "http://schemas.openid.net/event/backchannel-logout": {} } })],
    ["crit", header({ crit: ["x"], x: 1 })],
    ["b64 false", header({ crit: ["b64"], b64: false })],
    ["zip", header({ zip: "DEF" })],
    ["no alg", header({ alg: undefined })],
    ["two parts", form((first, second) => `${first}.${second}`)],
    ["four parts", form((first, second, third) => `${first}.${second}.${third}.x`)],
    ["the five parts of encryption", form((first, second, third) => `${first}..${second}.${third}.x`)],
    ["padding", form((first, second, third) => `${first}.${second}.${third}==`)],
    ["base64 of the other alphabet", form((first, second, third) => `${first}.${second}.+/${third}`)],
    ["white space in it", form((first, second, third) => `${first}. ${second}.${third}`)],
    ["the JSON serialisation", form((first, second, third) => JSON.stringify({ first, second, third }))],
    ["a payload that begins with a BOM", bomBefore],
    ["a payload that is a list", (_provider, own) => signToken(own, "[1]")],
    ["a payload that is no JSON", (_provider, own) => signToken(own, "x")],
    ["no exp", claims({ exp: undefined })],
    ["exp 1e400", (provider, own) => signToken(own, withMember(provider.claims({ exp: undefined }), '"exp":1e400'))],
    ["exp as text", claims({ exp: "4102444800" })],
    ["exp null", claims({ exp: null })],
    ["nbf in the future", fromNow("nbf", 60)],
    ["nbf as text", claims({ nbf: "1" })],
    ["iat an hour in the future", fromNow("iat", 3_600)],
  ],
  jwt_invalid_issuer: [
    ["no iss", claims({ iss: undefined })],
    ["iss with a slash", (provider, own) => provider.token({ iss: `${provider.issuer}/` }, own)],
    ["iss in capitals", (provider, own) => provider.token({ iss: provider.issuer.toUpperCase() }, own)],
    ["iss in a list", (provider, own) => provider.token({ iss: [provider.issuer] }, own)],
    ["the beginning of iss", (provider, own) => provider.token({ iss: provider.issuer.slice(0, -1) }, own)],
    ["iss twice", (provider, own) => signToken(own, withMember(provider.claims(), '"iss":"https://evil.example"'))],
  ],
  jwt_invalid_audience: [
    ["no aud", claims({ aud: undefined })],
    ["an empty aud", claims({ aud: [] })],
    ["a number in aud", (provider, own) => provider.token({ aud: [1, provider.audience] }, own)],
    ["aud in capitals", (provider, own) => provider.token({ aud: provider.audience.toUpperCase() }, own)],
    ["a part of aud", (provider, own) => provider.token({ aud: provider.audience.slice(1) }, own)],
    ["a longer aud", (provider, own) => provider.token({ aud: `${provider.audience}x` }, own)],
  ],
  jwt_expired: [
    ["its exp 7 s ago", fromNow("exp", -7)],
    ["exp 0", claims({ exp: 0 })],
    ["exp far below zero", claims({ exp: -1e308 })],
  ],
  user_id_claim_not_found: [
    ...[undefined, "", " ", "\u200b", 5, null, ["u"], "a\u0000b", "a\u007fb", "u".repeat(257)].map(
      (sub) => [`the sub ${JSON.stringify(sub)?.slice(0, 20)}`, claims({ sub })] as const,
    ),
  ],
};

describe.each(["a publishable key", "the dashboard"])("at %s a token", (door) => {
  let provider: Provider;
  let own: SigningKey;

  beforeAll(async () => {
    if (door === "the dashboard") {
      provider = service.platform;
      own = PLATFORM_KEY;
    } else {
      provider = await service.newApp();
      own = USER_KEY;
    }
    provider.document.publish(...PUBLISHED, own.jwk);
    // What was fetched before is too old from now on.
    service.latchkey.clock.advance(11 * MINUTE);
  });

  const cases = Object.entries(CASES).flatMap(([outcome, list]) =>
    list.map(([what, make]) => ({ what, outcome, make })),
  );

  // threat: J1, J7
  test.each(cases)("with $what is answered with $outcome", async ({ outcome, make }) => {
    expect(await provider.outcomeOf(make(provider, own))).toBe(outcome);
    expect(await provider.outcomeOf(provider.token())).toBe("admitted");
  });

  // threat: J6
  test("does not make the service fetch what its header names", async () => {
    const canary = await openCanary();
    const url = `http://127.0.0.1:${canary.port}/jwks.json`;
    const attacker = generateKey("ES256", { kid: own.jwk.kid });
    const named = { jku: url, x5u: url, jwk: attacker.jwk, x5c: ["MIIB"], kid: own.jwk.kid };
    expect(await provider.outcomeOf(provider.token({}, attacker, named))).toBe("jwt_invalid_signature");
    expect(await provider.outcomeOf(provider.token({}, own, named))).toBe("admitted");
    expect(canary.connections).toBe(0);
    await canary.close();
  });

  // threat: K8, J19
  test("that is longer than the headers may be is rejected at once", async () => {
    const token = provider.token({ x: "x".repeat(100_000) });
    const answer = await service.latchkey.call("/api/v1/api-keys/list", {}, bearer(token));
    expect(answer.status).toBe(431);
    expectPublicMessage(answer);
  });
});

test("a dashboard user's tenant is in the claim that the operator names, and in no other", async () => {
  const { document, issuer, audience, claims } = service.platform;
  const expectation = { issuer, audience, jwksUrl: document.url, jwksOwner: { kind: "operator" } } as const;
  const dashboard = { expectation, userIdClaim: "sub", tenantClaim: "https://x.example/org", requiredClaims: {} };
  const latchkey = await startLatchkey({ config: { dashboard } });
  const verify = async (changes: Record<string, unknown>) => {
    const token = signToken(PLATFORM_KEY, claims({ tenant_id: "ten_other", iat: undefined, ...changes }));
    const { json } = await latchkey.call("/api/v1/auth/verify", {}, bearer(token));
    return json.tenant_id ?? json.denial_reason;
  };
  expect(await verify({ "https://x.example/org": "never seen before" })).toBe("never seen before");
  expect(await verify({})).toBe("tenant_required");
  await latchkey.close();
});
