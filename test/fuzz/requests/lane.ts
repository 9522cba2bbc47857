import { newId } from "../../../src/domain/vocabulary/ids.ts";
import { signedBy } from "../../harness/github.ts";
import { post } from "../../harness/http.ts";
import { createKey } from "../../harness/latchkey.ts";
import { SIGNING_SECRET } from "../../harness/login-hook.ts";
import { OPERATOR_TOKEN } from "../../harness/operator.ts";
import { bearer } from "../../harness/publishable.ts";
import type { Names } from "./messages.ts";
import type { FuzzedService } from "./service.ts";

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
  /** What GitHub signs a body with. */
  signed(body: Buffer): Fields;
  /** Remembers the ids in an answer, for later requests. */
  learn(answer: string): void;
}

/** Of each kind, the last so many. */
const REMEMBERED_MAX = 20;
const ID = /"(key|org|ivt|run|msg|thr|inv)_[\w-]{32,}"/g;
const ORGS = "/api/v1/orgs";
const INVITED = "ann@example.com";
const PERMISSIONS = ["*", "conversations:*", "conversations:read", "plans:read"];

export async function prepareLane({ url, provider, scanner }: FuzzedService): Promise<Lane> {
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
  for (const sub of members) {
    const email = `${sub}@example.com`;
    const accepting = bearer(await provider.sign({ sub, email, email_verified: true }));
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
  const authenticating: readonly string[] = [secret.key_id, publishable.key_id];
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
    key: () => ["", leaked.key, `${leaked.key.slice(0, -1)}x`],
    key_prefix: () => ["", leaked.key_prefix],
    jwksUrl: () => [jwksUrl, "https://127.0.0.1/jwks.json", ""],
    issuer: () => [issuer, "https://localhost/", ""],
    audience: () => [audience, "other", ""],
    token: () => ofKind("inv"),
    email: () => [INVITED, "jo@example.com"],
    role: () => ["viewer", "developer", "owner"],
    page_token: () => ["", "", Buffer.from("1767225600000.1").toString("base64url"), "AAAA"],
    allowed_ips: () => ["203.0.113.0/24", "::/0"],
    allowed_origins: () => ["https://app.example.com", "capacitor://localhost"],
    update_mask: () => ["name", "rate_limit", "name,permissions", "rateLimit.perUser"],
    step: () => ["", "hour", "day"],
  };
  return {
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
    },
    names: (member) => values[member]?.(),
    signed: (body) => Object.entries(signedBy(scanner, body.toString())),
    learn(answer) {
      for (const [quoted, kind = ""] of answer.matchAll(ID)) {
        const id = quoted.slice(1, -1);
        if (!authenticating.includes(id)) remember(kind, id);
      }
    },
  };
}
