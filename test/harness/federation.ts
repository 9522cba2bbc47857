import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { NewRule } from "../../src/domain/federation/rule-store.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { generateKey, type SigningKey, signToken } from "../jwks/provider.ts";
import { type Answer, type JsonObject, toAnswer } from "./http.ts";
import type { KeyDocument } from "./key-host.ts";
import { type CreatedKey, type Latchkey, newTenant } from "./latchkey.ts";
import { type PublishableService, sharedPublishable } from "./publishable.ts";

export const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";

/** A platform that gives its workloads tokens. */
export interface Platform {
  readonly issuer: string;
  /** Its key set, as it would be pasted. */
  readonly jwks: { readonly keys: readonly object[] };
  readonly signer: SigningKey;
  /** How often its key set was fetched. */
  fetches(): number;
  /** What answers requests for its key set. */
  readonly document: KeyDocument;
}

/** A tenant that has a secret key for its workloads. */
export interface Employer {
  readonly tenant: string;
  readonly audience: string;
  readonly key: CreatedKey;
  readonly platform: Platform;
  readonly headers: Record<string, string>;
  call(method: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The whole response, which must be 200. */
  json(method: string, body: unknown): Promise<JsonObject>;
  /** The members of a valid rule. */
  values(changes?: object): Record<string, unknown>;
  /** A new rule, as it is returned. */
  create(changes?: object): Promise<JsonObject>;
  /** A workload's token that satisfies the rules of `values`, with other claims. A value of undefined leaves a claim out. */
  assertion(claims?: Record<string, unknown>, signer?: SigningKey): string;
  /** Exchanges a token, on this replica unless given. Members of the form may be changed; undefined ones are left out. */
  exchange(
    ruleId: string,
    assertion: string,
    form?: Record<string, string | undefined>,
    on?: Pick<Latchkey, "url">,
  ): Promise<Answer>;
  /** A token of the service. */
  token(ruleId: string, assertion?: string): Promise<string>;
}

export const sharedFederation = sharedPublishable;

export const WORKLOAD_KEY = generateKey("ES256", { kid: "workload-key" });

/** A new tenant with a platform of its own, unless one is given. */
export async function newEmployer(
  { latchkey, keyHost }: PublishableService,
  options: { readonly platform?: Platform; readonly permissions?: readonly string[]; readonly fields?: object } = {},
): Promise<Employer> {
  const { permissions = ["conversations:*", "plans:read"], fields = {} } = options;
  const platform = options.platform ?? newPlatform(keyHost);
  const [tenant, audience] = [newTenant(), `https://latchkey.example/${randomUUID()}`];
  // Made for each call: the tests' clock moves.
  const headers = await latchkey.dashboard(tenant);
  const key = await latchkey.createKey(headers, { permissions, ...fields });
  const call = async (method: string, body: unknown, as?: Record<string, string>) =>
    latchkey.call(`/api/v1/federation/rules/${method}`, body, as ?? (await latchkey.dashboard(tenant)));
  async function json(method: string, body: unknown): Promise<JsonObject> {
    const answer = await call(method, body);
    expect(answer.status, `${method}: ${answer.text}`).toBe(200);
    return answer.json;
  }
  const values = (changes: object = {}): Record<string, unknown> => ({
    ...{ name: "Deployments", issuer: platform.issuer, audience, key_id: key.key_id, scopes: ["conversations:read"] },
    claim_rules: [{ claim: "repository_id", equals: "42" }],
    ...changes,
  });
  function assertion(claims: Record<string, unknown> = {}, signer = platform.signer): string {
    const nowS = Math.floor(latchkey.clock.now().getTime() / 1_000);
    const times = { iat: nowS, exp: nowS + 600 };
    const own = { iss: platform.issuer, aud: audience, sub: "repo:acme/shop", repository_id: "42", jti: randomUUID() };
    return signToken(signer, { ...times, ...own, ...claims });
  }
  const exchange: Employer["exchange"] = (ruleId, text, form = {}, on = latchkey) =>
    postForm(on, {
      ...{ grant_type: EXCHANGE, client_id: ruleId, subject_token: text, subject_token_type: JWT_TYPE },
      ...form,
    });
  return {
    ...{ tenant, audience, key, platform, headers, call, json, values, assertion, exchange },
    create: async (changes) => (await json("create", values(changes))).result,
    async token(ruleId, text = assertion()) {
      const answer = await exchange(ruleId, text);
      expect(answer.status, answer.text).toBe(200);
      return answer.json.access_token;
    },
  };
}

export function newPlatform(keyHost: PublishableService["keyHost"], signer = WORKLOAD_KEY): Platform {
  const { issuer, document } = keyHost.issuer(signer.jwk);
  return {
    ...{ issuer, signer, jwks: { keys: [signer.jwk] } },
    document,
    fetches: () => document.requests,
  };
}

/** Sends a form to the token endpoint. Members that are undefined are left out. */
export async function postForm(
  latchkey: Pick<Latchkey, "url">,
  form: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const body = new URLSearchParams(given);
  return toAnswer(await fetch(`${latchkey.url}/oauth/token`, { method: "POST", body, headers }));
}

/** A rule of a tenant of its own, as it would be stored, with the given fields. */
export function newRule(fields: Partial<NewRule> = {}): NewRule {
  return {
    ruleId: newId("fed"),
    tenantId: newId("ten"),
    name: "Deployments",
    issuer: "https://ci.example.com",
    jwksUrl: "https://ci.example.com/jwks.json",
    jwks: null,
    audience: "https://latchkey.example",
    claimRules: [{ claim: "sub", equals: "repo:acme/shop" }],
    keyId: newId("key"),
    scopes: ["conversations:read"],
    ttlSeconds: 900,
    ...fields,
  };
}
