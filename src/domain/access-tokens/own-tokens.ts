import { requireTenant } from "../access/authorize.ts";
import { keyOf, type Principal, tokenOf } from "../access/principal.ts";
import { faultOf, type RequestFault } from "../vocabulary/request-fault.ts";
import type { TokensOf } from "./access-token-store.ts";

/** The tokens that a caller may see and revoke. `tokenId` null: all of `of`. */
export interface OwnTokens {
  readonly of: TokensOf;
  readonly tokenId: string | null;
}

/** A dashboard user's are all of their tenant, a key's are those derived from it, and a token has only itself. */
export function ownTokens(principal: Principal): OwnTokens {
  const of = { tenantId: requireTenant(principal), keyId: keyOf(principal)?.keyId ?? null };
  return { of, tokenId: tokenOf(principal)?.tokenId ?? null };
}

/** The same for one of another key or tenant, one that never was, and one whose record was removed. */
export function tokenNotFound(): RequestFault {
  return faultOf("token_not_found", "token_id", "no such token; tokens/list has those that have not expired");
}
