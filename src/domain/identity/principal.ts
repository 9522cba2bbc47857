import type { KeyRecord } from "../keys/key.ts";

/** A dashboard user, signed in at the platform's own identity provider. */
export interface DashboardUser {
  readonly kind: "dashboard_user";
  readonly userId: string;
  /** Null only where the RPC's policy says that a tenant is optional. */
  readonly tenantId: string | null;
}

/** A customer's backend, or the user it acts for. */
export interface SecretKeyCaller {
  readonly kind: "secret_key";
  readonly key: KeyRecord;
  readonly tenantId: string;
  /** The user of `X-On-Behalf-Of`. Null: the key acts by itself. */
  readonly onBehalfOf: string | null;
}

/** A client app's user. */
export interface PublishableKeyCaller {
  readonly kind: "publishable_key";
  readonly key: KeyRecord;
  readonly tenantId: string;
  readonly userId: string;
}

/** The authenticated caller. No code after the gate reads a credential header. */
export type Principal = DashboardUser | SecretKeyCaller | PublishableKeyCaller;

export type CallerKind = Principal["kind"];
