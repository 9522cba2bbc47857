import type { CallerKind } from "./principal.ts";

/** Who may call an RPC, as its policy option in the proto says. */
export interface Policy {
  readonly callers: ReadonlySet<CallerKind>;
  /** The scope an API key needs; null: none. */
  readonly scope: string | null;
  /** The scope a dashboard user needs, or a wildcard; null: none. */
  readonly userScope: string | null;
  /** Whether a dashboard user without a tenant may call. */
  readonly tenantOptional: boolean;
  /** Whether a dashboard user who was removed from their token's tenant may call, as one without a tenant. */
  readonly formerMembers: boolean;
  /** Whether a token that stands for a secret key may call. */
  readonly tokens: boolean;
}
