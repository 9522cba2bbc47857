import { hash, randomUUID } from "node:crypto";
import { newId } from "../../../src/domain/vocabulary/ids.ts";
import { EDGE_TOKEN } from "../../harness/edge-token.ts";
import { signedBy } from "../../harness/github.ts";
import { post } from "../../harness/http.ts";
import { createKey } from "../../harness/latchkey.ts";
import { SIGNING_SECRET } from "../../harness/login-hook.ts";
import { OPERATOR_TOKEN } from "../../harness/operator.ts";
import { newSender } from "../../harness/proofs.ts";
import { bearer } from "../../harness/publishable.ts";
import { TOKEN_ISSUER } from "../../harness/token-settings.ts";
import type { Request } from "./cases.ts";
import { FRESH_PROOF } from "./headers.ts";
import { edgeNames, envoyNames, formNames } from "./lane-names.ts";
import type { Names } from "./messages.ts";
import { type FuzzedService, RESOURCE_URL } from "./service.ts";
import { renewStock, type Stock } from "./stock.ts";

/** Header fields, of which a name may occur twice. */
export type Fields = readonly (readonly [name: string, value: string])[];

/**
 * A tenant with its callers, and keys, users and another tenant that requests may change. The requests of a lane are sent one
 * after the other and change nothing of another lane's, so that a request that changed nothing is answered again as before.
 * What authenticates is never named in a request.
 */
export interface Lane {
  /** By the names of the table. */
  readonly credentials: Readonly<Record<string, Fields>>;
  readonly names: Names;
  /** Values of an example's members with which it is valid. None: the example's own is. */
  readonly fitting: Names;
  /** Makes again what requests have used up. */
  renew(): Promise<void>;
  /** What GitHub signs a body with. */
  signed(body: Buffer): Fields;
  /** A new proof of possession for a request. */
  prove(request: Request): Promise<string>;
  /** One that was valid once. */
  readonly oldProof: string;
  /** Remembers the ids in an answer, for later requests. */
  learn(answer: string): void;
}

/** Of each kind, the last so many. */
const REMEMBERED_MAX = 20;
const ID = /"(key|org|ivt|run|msg|thr|inv|whk|evt|aud|tok|fed|req)_[\w-]{32,}"/g;
const ORGS = "/api/v1/orgs";
const INVITED = "ann@example.com";
const PERMISSIONS = ["*", "conversations:*", "conversations:read", "plans:read"];

/** Of these the values of an example fit its other members. */
const OF_THE_EXAMPLE: readonly string[] = ["update_mask", "scopes", "permissions", "role", "audience", "page_token"];

/** Each is exchanged once. */
const ASSERTIONS = 60;
/** Of the service's own tokens, the longest. */
const TTL_SECONDS = 3_600;

export async function prepareLane({ url, provider, scanner, receiverUrl }: FuzzedService): Promise<Lane> {
  const tenant = newId("ten");
  const other = newId("ten");
  // No two lanes have a user in common, who would wait for each other's changes.
  const guest = `guest-of-${tenant}`;
  const owner = { sub: `owner-of-${tenant}`, roles: ["owner"] };
  const token = await provider.sign({ ...owner, tenant_id: tenant });
  const dashboard = bearer(token);
  const { json } = await post(url, `${ORGS}/create`, { name: "Acme" }, dashboard);
  const ofOrganization = await provider.sign({ ...owner, tenant_id: json.result.tenant_id });
  const invited = await provider.sign({ sub: guest, email: INVITED, email_verified: true });
  const members = ["a", "b", "c"].map((name) => `member-${name}-of-${tenant}`);
  const acceptingFor = async (sub: string) =>
    bearer(await provider.sign({ sub, email: emailOf(sub), email_verified: true }));
  for (const sub of members) {
    const email = emailOf(sub);
    const accepting = await acceptingFor(sub);
    const invitation = await post(url, `${ORGS}/invitations/create`, { email, role: "viewer" }, bearer(ofOrganization));
    await post(url, `${ORGS}/invitations/accept`, { token: invitation.json.token }, accepting);
  }
  const { issuer, jwksUrl, audience } = provider;
  const secret = await createKey(url, dashboard, { permissions: ["*"] });
  const publishable = await createKey(url, dashboard, {
    keyType: "KEY_TYPE_PUBLISHABLE",
    publishableConfig: { oidc: { issuer, jwksUrl, audience } },
  });
  const userToken = await provider.sign({ sub: `user-of-${tenant}` });
  const known = new Map<string, string[]>();
  const remember = (kind: string, id: string): void => {
    const ids = known.get(kind) ?? [];
    known.set(kind, [...ids.filter((each) => each !== id), id].slice(-REMEMBERED_MAX));
  };
  const deriving = await createKey(url, dashboard, { permissions: ["conversations:*", "plans:read"] });
  const sender = await newSender();
  const derive = async (fields: object) => {
    const scopes = ["conversations:*", "plans:read"];
    const body = { scopes, ttl_seconds: TTL_SECONDS, audience: RESOURCE_URL, ...fields };
    const derived = await post(url, "/api/v1/tokens/derive", body, { "x-api-key": deriving.key });
    return derived.json.result as { readonly token: string; readonly token_id: string };
  };
  const accessToken = await derive({});
  const boundToken = await derive({ confirmation_jkt: sender.jkt });
  const workloads = `workloads-of-${tenant}`;
  const rule = (aud: string, keyId: string) => ({
    ...{ name: "a rule", issuer, jwksUrl, audience: aud, key_id: keyId, scopes: ["plans:read"] },
    claimRules: [{ claim: "sub", equals: "workload" }],
  });
  const ruleFor = async (aud: string) => {
    const { json: made } = await post(url, "/api/v1/federation/rules/create", rule(aud, deriving.key_id), dashboard);
    return String(made.result.rule_id);
  };
  const ruleId = await ruleFor(workloads);
  const assertions = await Promise.all(
    Array.from({ length: ASSERTIONS }, () => provider.sign({ sub: "workload", aud: workloads, jti: randomUUID() })),
  );
  const authenticating: readonly string[] = [
    ...[secret.key_id, publishable.key_id, deriving.key_id, accessToken.token_id, boundToken.token_id],
    ruleId,
  ];
  for (let n = 0; n < 4; n++) {
    remember("tok", (await derive({})).token_id);
    remember("fed", await ruleFor(`others-${n}`));
    const webhook = { url: receiverUrl, events: ["*"] };
    remember("whk", (await post(url, "/api/v1/webhooks/create", webhook, dashboard)).json.result.webhook_id);
  }
  for (let n = 0; n < 4; n++) remember("key", (await createKey(url, dashboard, {})).key_id);
  const leaked = await createKey(url, dashboard, {});
  const operator: Fields = [["authorization", `Bearer ${OPERATOR_TOKEN}`]];
  await post(
    url,
    "/api/v1/operator/keys/create",
    { tenant_id: other, name: "a key", permissions: ["conversations:*"] },
    Object.fromEntries(operator),
  );
  const ofKind = (kind: string): readonly string[] => known.get(kind) ?? [`${kind}_${"0".repeat(32)}`];
  const values: Readonly<Record<string, () => readonly string[]>> = {
    key_id: () => ofKind("key"),
    target_id: () => [...ofKind("key"), ...ofKind("org")],
    org_id: () => ofKind("org"),
    invitation_id: () => ofKind("ivt"),
    run_id: () => ofKind("run"),
    thread_id: () => ["", ...ofKind("thr")],
    before_message_id: () => ["", ...ofKind("msg")],
    tenant_id: () => [other],
    user_id: () => [guest, ...members, "user-x"],
    actor_id: () => ["", owner.sub, ...ofKind("key")],
    conversation_key: () => ["common", "other", "\u00e9"],
    permissions: () => PERMISSIONS,
    key: () => [leaked.key, "", `${leaked.key.slice(0, -1)}x`],
    key_prefix: () => [leaked.key_prefix, ""],
    jwksUrl: () => [jwksUrl, jwksUrl, "https://127.0.0.1/jwks.json", ""],
    issuer: () => [issuer, issuer, "https://localhost/", ""],
    audience: () => [audience, "other", "other", ""],
    token: () => [...ofKind("inv"), userToken],
    email: () => [INVITED, "jo@example.com"],
    role: () => ["viewer", "developer", "owner"],
    page_token: () => ["", "", Buffer.from("1767225600000.1").toString("base64url"), "AAAA"],
    allowed_ips: () => ["203.0.113.0/24", "::/0"],
    allowed_origins: () => ["https://app.example.com", "capacitor://localhost"],
    update_mask: () => ["name", "rate_limit", "name,permissions", "rateLimit.perUser", "events", "status"],
    step: () => ["", "hour", "day"],
    request_id: () => ["", ...ofKind("req")],
    token_id: () => ofKind("tok"),
    webhook_id: () => ofKind("whk"),
    event_id: () => ["", ...ofKind("evt"), ...ofKind("aud")],
    events: () => ["*", "api_key.created"],
    url: () => [receiverUrl, receiverUrl, "https://127.0.0.1/hooks", ""],
    scopes: () => ["plans:read", "conversations:read", "conversations:read", "users:impersonate"],
    confirmation_jkt: () => ["", sender.jkt],
    rule_id: () => ofKind("fed"),
    assertion: () => [...assertions, userToken],
    ...formNames(ruleId, assertions),
    ...envoyNames([secret.key, publishable.key, ""], [accessToken.token, boundToken.token, userToken]),
    ...edgeNames(tenant, () => ofKind("key"), [secret.key, publishable.key, leaked.key].map(secretHash)),
  };
  const stockMember = `member-d-of-${tenant}`;
  const stockOptions = {
    ...{ url, dashboard, owner: bearer(ofOrganization), operator: Object.fromEntries(operator), otherTenant: other },
    ...{ receiverUrl, rule, keptRules: [ruleId], guest: { userId: guest, email: INVITED } },
    member: { userId: stockMember, email: emailOf(stockMember), headers: await acceptingFor(stockMember) },
    deriveToken: async () => (await derive({})).token_id,
  };
  let stock: Stock = await renewStock(stockOptions);
  return {
    fitting(member) {
      if (OF_THE_EXAMPLE.includes(member)) return undefined;
      return stock[member] ?? values[member]?.().slice(0, 1);
    },
    async renew() {
      stock = await renewStock(stockOptions);
    },
    credentials: {
      none: [],
      "secret key": [["x-api-key", secret.key]],
      "publishable key and user's token": [
        ["x-api-key", publishable.key],
        ["authorization", `Bearer ${userToken}`],
      ],
      "dashboard user": [["authorization", `Bearer ${token}`]],
      "owner of an organization": [["authorization", `Bearer ${ofOrganization}`]],
      "user without a tenant": [["authorization", `Bearer ${invited}`]],
      operator,
      "login hook": [["authorization", `Bearer ${SIGNING_SECRET}`]],
      // Signed when the body is known.
      GitHub: [],
      "access token": [["authorization", `Bearer ${accessToken.token}`]],
      "access token with DPoP": [
        ["authorization", `DPoP ${boundToken.token}`],
        ["dpop", FRESH_PROOF],
      ],
      workload: [],
      "workload with DPoP": [["dpop", FRESH_PROOF]],
      // The caller stands in the message.
      Envoy: [],
      edge: [["authorization", `Bearer ${EDGE_TOKEN}`]],
    },
    names: (member) => values[member]?.(),
    signed: (body) => Object.entries(signedBy(scanner, body.toString())),
    oldProof: await sender.prove("POST", `${TOKEN_ISSUER}/oauth/token`, boundToken.token),
    prove(request) {
      const isOfToken = request.fields.some(([, value]) => value.includes(boundToken.token));
      return sender.prove(request.method, targetOf(request), isOfToken ? boundToken.token : undefined);
    },
    learn(answer) {
      for (const [quoted, kind = ""] of answer.matchAll(ID)) {
        const id = quoted.slice(1, -1);
        if (!authenticating.includes(id)) remember(kind, id);
      }
    },
  };
}

function emailOf(userId: string): string {
  return `${userId}@example.com`;
}

function secretHash(secret: string): string {
  return hash("sha256", secret, "base64url");
}

/** The URL that a proof must be for: the one that a proxy describes, or the path of the request. */
function targetOf({ path, fields }: Request): string {
  const sent = (name: string) => fields.find(([each]) => each === name)?.[1];
  const [proto, host, uri] = ["proto", "host", "uri"].map((part) => sent(`x-forwarded-${part}`));
  const isWhole = proto !== undefined && host !== undefined && uri !== undefined;
  return isWhole ? `${proto}://${host}${uri}` : `${TOKEN_ISSUER}${path.split("?")[0]}`;
}
