import { post } from "../../harness/http.ts";
import { createKey } from "../../harness/latchkey.ts";

type Headers = Record<string, string>;

/** The callers that make a lane's stock, and what it is made of. */
export interface StockOptions {
  readonly url: string;
  /** A user with every scope in the tenant that keys, rules and webhooks belong to. */
  readonly dashboard: Headers;
  /** The owner of the organization. */
  readonly owner: Headers;
  readonly operator: Headers;
  /** The tenant that requests suspend and erase. */
  readonly otherTenant: string;
  /** Is invited, and a member only until the next renewal. */
  readonly guest: { readonly userId: string; readonly email: string };
  /** Is a member after each renewal. */
  readonly member: { readonly userId: string; readonly email: string; readonly headers: Headers };
  readonly receiverUrl: string;
  /** Of a rule of this audience. */
  rule(audience: string, keyId: string): object;
  /** Rules that stay. */
  readonly keptRules: readonly string[];
  deriveToken(): Promise<string>;
}

/** Ids and tokens that exist and fit each other, by the members that name them. */
export type Stock = Readonly<Record<string, readonly string[]>>;

/** More webhooks and rules than these are deleted, or a long run would reach the most that a tenant may have. */
const LEFT = 4;
const RULES = "/api/v1/federation/rules";
const WEBHOOKS = "/api/v1/webhooks";
const ORGS = "/api/v1/orgs";

/** Makes again what earlier requests revoked, deleted, accepted or forbade, since most messages name something that must exist. */
export async function renewStock(options: StockOptions): Promise<Stock> {
  const { url, dashboard, owner, operator, otherTenant, guest, member } = options;
  const made = async (path: string, body: object, headers: Headers) => {
    const { status, json, text } = await post(url, path, body, headers);
    if (status !== 200) throw new Error(`${path} made nothing: ${status} ${text}`);
    return json;
  };
  const invite = (email: string) => made(`${ORGS}/invitations/create`, { email, role: "viewer" }, owner);
  await made("/api/v1/api-keys/policy/set", { policy: {} }, dashboard);
  // It may be neither suspended nor erased.
  await post(url, "/api/v1/operator/tenants/resume", { tenant_id: otherTenant }, operator);
  const { rules } = await made(`${RULES}/list`, {}, dashboard);
  const ruleIds: string[] = rules.map(({ rule_id }: { rule_id: string }) => rule_id);
  for (const rule_id of ruleIds.filter((id) => !options.keptRules.includes(id)).slice(0, -LEFT))
    await made(`${RULES}/delete`, { rule_id }, dashboard);
  const { webhooks } = await made(`${WEBHOOKS}/list`, {}, dashboard);
  const webhookIds: string[] = webhooks.map(({ webhook_id }: { webhook_id: string }) => webhook_id);
  for (const webhook_id of webhookIds.slice(0, -LEFT)) await made(`${WEBHOOKS}/delete`, { webhook_id }, dashboard);

  const { key_id, key } = await createKey(url, dashboard, { permissions: ["*"] });
  // Of a key its last denials are kept. Those of the lane's own are too many to be found later.
  const { headers: denied } = await post(url, `${ORGS}/create`, { name: "Acme" }, { "x-api-key": key });
  const { result: rule } = await made(`${RULES}/create`, options.rule("others", key_id), dashboard);
  const { result: webhook } = await made(`${WEBHOOKS}/create`, { url: options.receiverUrl, events: ["*"] }, dashboard);
  // Whether they are members now depends on the requests before.
  for (const user_id of [guest.userId, member.userId]) await post(url, `${ORGS}/members/remove`, { user_id }, owner);
  const { token: accepted } = await invite(member.email);
  await made(`${ORGS}/invitations/accept`, { token: accepted }, member.headers);
  const open = await invite(guest.email);
  return {
    key_id: [key_id],
    request_id: [denied.get("x-request-id") ?? ""],
    rule_id: [String(rule.rule_id)],
    webhook_id: [String(webhook.webhook_id)],
    token_id: [await options.deriveToken()],
    user_id: [member.userId],
    invitation_id: [String(open.result.invitation_id)],
    token: [String(open.token)],
  };
}
