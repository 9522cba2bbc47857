import { randomUUID } from "node:crypto";
import type { Answer } from "./http.ts";
import type { Latchkey } from "./latchkey.ts";

type Service = Pick<Latchkey, "call" | "dashboardToken">;

/** A dashboard user with a verified email address. */
export interface OrgUser {
  readonly sub: string;
  readonly email: string;
  /** Calls an RPC below `/api/v1/orgs/`, or another one by its whole path, with other claims if they are given. */
  call(method: string, body?: object, claims?: Record<string, unknown>): Promise<Answer>;
}

/** An organization as orgs/create returned it. */
export interface CreatedOrg {
  readonly org_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly created_at: string;
}

/** A new user whose tokens name this tenant, or none. */
export function orgUser(latchkey: Service, tenantId?: string, sub = `user-${randomUUID()}`): OrgUser {
  const email = `${sub}@example.com`;
  return {
    sub,
    email,
    async call(method, body = {}, claims = {}) {
      const own = { sub, email, email_verified: true, tenant_id: tenantId };
      const token = await latchkey.dashboardToken({ ...own, ...claims });
      const path = method.startsWith("/") ? method : `/api/v1/orgs/${method}`;
      return latchkey.call(path, body, { authorization: `Bearer ${token}` });
    },
  };
}

/** A new organization, and its owner with tokens of its tenant. */
export async function newOrganization(latchkey: Service): Promise<{ org: CreatedOrg; owner: OrgUser }> {
  const founder = orgUser(latchkey);
  const { json } = await founder.call("create", { name: "Acme" });
  // The shape is the contract's, and the tests of create check it.
  const org = json.result as CreatedOrg;
  return { org, owner: orgUser(latchkey, org.tenant_id, founder.sub) };
}

/** A new member of the owner's organization, with tokens of its tenant. */
export async function newMember(
  latchkey: Service,
  { org, owner }: { readonly org: CreatedOrg; readonly owner: OrgUser },
  role: string,
): Promise<OrgUser> {
  const member = orgUser(latchkey, org.tenant_id);
  const { token } = await invite(owner, member.email, role);
  const { status, text } = await member.call("invitations/accept", { token });
  if (status !== 200) throw new Error(`the invitation was not accepted: ${text}`);
  return member;
}

/** An invitation, with its token. */
export async function invite(
  inviter: OrgUser,
  email: string,
  role = "viewer",
): Promise<{ readonly token: string; readonly invitation_id: string; readonly expires_at: string }> {
  const { status, text, json } = await inviter.call("invitations/create", { email, role });
  if (status !== 200) throw new Error(`nobody was invited: ${text}`);
  const { invitation_id, expires_at } = json.result;
  return { token: json.token, invitation_id, expires_at };
}
