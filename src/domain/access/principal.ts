import type { AccessTokenRecord } from "../credentials/access-token.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { NO_RIGHTS, type Rights } from "./scopes.ts";

/** A dashboard user, signed in at the platform's own identity provider. */
export interface DashboardUser {
  readonly kind: "dashboard_user";
  readonly issuer: string;
  readonly userId: string;
  /** With A to Z in lower case. Null: the token has none that its identity provider has verified. */
  readonly verifiedEmail: string | null;
  /** Null only where the RPC's policy says that a tenant is optional. */
  readonly tenantId: string | null;
  /** Their role as a member of the tenant, also where the roles in the token decide about `rights`. Null: not a member. */
  readonly memberRole: string | null;
  readonly rights: Rights;
}

/** A customer's backend, or the user it acts for. */
export interface SecretKeyCaller {
  readonly kind: "secret_key";
  readonly key: KeyRecord;
  readonly tenantId: string;
  /** The user of `X-On-Behalf-Of`. Null: the key acts by itself. */
  readonly onBehalfOf: string | null;
  readonly rights: Rights;
  /** The access token that was sent instead of the key. Undefined: the key itself was sent. */
  readonly token?: AccessTokenRecord | undefined;
}

/** A client app's user. */
export interface PublishableKeyCaller {
  readonly kind: "publishable_key";
  readonly key: KeyRecord;
  readonly tenantId: string;
  readonly userId: string;
  readonly rights: Rights;
}

/** The operator of this service, by their token. They belong to no tenant. */
export interface Operator {
  readonly kind: "operator";
  /** Which of the operator's tokens was used, from 1. */
  readonly token: number;
  readonly tenantId: null;
  readonly rights: Rights;
}

/** A caller of an RPC that is open to anyone, whose credentials are not looked at. */
export interface Anonymous {
  readonly kind: "anonymous";
  readonly tenantId: null;
  readonly rights: Rights;
}

export const ANONYMOUS: Anonymous = { kind: "anonymous", tenantId: null, rights: NO_RIGHTS };

/** The authenticated caller. No code after the gate reads a credential header. */
export type Principal = DashboardUser | SecretKeyCaller | PublishableKeyCaller | Operator | Anonymous;

export type CallerKind = Principal["kind"];

/** The key that a caller has presented, if it is one of a key. */
export function keyOf(principal: Principal): KeyRecord | undefined {
  return principal.kind === "secret_key" || principal.kind === "publishable_key" ? principal.key : undefined;
}

/** The user whom a secret key acts for. Undefined: the caller is no such key, or acts by itself. */
export function actingForOf(principal: Principal): string | undefined {
  return principal.kind === "secret_key" ? (principal.onBehalfOf ?? undefined) : undefined;
}

/** The access token of a caller with a key, if it has sent one. */
export function tokenOf(principal: Principal): AccessTokenRecord | undefined {
  return principal.kind === "secret_key" ? principal.token : undefined;
}
