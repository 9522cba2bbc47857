import type { Catalogue } from "../access/catalogue.ts";
import type { Grant } from "../access/grant.ts";
import type { KeyRecord, OidcConfig } from "../credentials/key.ts";
import type { CompiledFormats } from "../key-formats/compiled.ts";
import { GIVEN_MEMBERS, givenMembers } from "../keys/key-fields.ts";
import { checkedOidc, type OidcRules } from "../keys/oidc.ts";
import type { RateLimit } from "../limits/caps.ts";
import { newId } from "../vocabulary/ids.ts";
import { faultOf, invalid } from "../vocabulary/request-fault.ts";
import type { ImportedRow } from "./row.ts";
import { type ImportedSecret, type MayUseHash, secretOfRow } from "./secret-of-row.ts";

/** A key to store, as its row makes it. */
export interface PlannedKey extends Omit<ImportedSecret, "secretPrefix"> {
  readonly record: KeyRecord;
  /** Whether it is revoked or has expired, and does not count among the keys that the tenant may have. */
  readonly hasEnded: boolean;
  /** The member of the row that says which key it is. */
  readonly field: "hash" | "key";
}

/** The context in which the rows of one call are checked. */
export interface PlanContext extends OidcRules {
  readonly formats: CompiledFormats;
  readonly mayUseHash: MayUseHash;
  readonly grant: Grant;
  readonly catalogue: Catalogue;
  readonly rateLimitDefault: RateLimit;
  readonly now: Date;
}

/** An imported key may have ended: then its denial says why, and not that the key is unknown. */
const CHECKED = GIVEN_MEMBERS.filter((member) => member !== "expiresAt");

/** Makes the key of a row. Throws `RequestFault`, or `Denial` for a scope that the caller may not give. */
export function plannedKey(row: ImportedRow, ctx: PlanContext): PlannedKey {
  const { tenantId, type, expiresAt, createdAt, revokedAt, isDisabled } = row;
  const { catalogue, rateLimitDefault, now } = ctx;
  const current = { type, expiresAt: null, rotatedTo: null };
  const given = givenMembers(CHECKED, row, { current, catalogue, rateLimitDefault, now });
  refuseFuture("created_at", createdAt, now);
  refuseFuture("revoked_at", revokedAt, now);
  const oidc = oidcOf(row, ctx);
  ctx.grant(tenantId, given.permissions);
  const { secretPrefix, ...secret } = secretOfRow(row, ctx.formats, ctx.mayUseHash);
  const record: KeyRecord = {
    ...given,
    ...{ keyId: newId("key"), tenantId, type, secretPrefix, oidc, expiresAt },
    ...{ createdAt: createdAt ?? now, updatedAt: now, disabledAt: isDisabled ? now : null, revokedAt },
    ...{ rotatedTo: null, rotatedFrom: null, budgetId: null },
  };
  const hasEnded = revokedAt !== null || (expiresAt !== null && expiresAt <= now);
  return { ...secret, record, hasEnded, field: row.hash === null ? "key" : "hash" };
}

/** Nothing is fetched for a row: the address of the key set is the one that the export has. */
function oidcOf({ type, oidc }: ImportedRow, rules: OidcRules): OidcConfig | null {
  if (oidc === null) return null;
  if (type === "secret") throw faultOf("not_for_key_type", "publishableConfig", "is only for publishable keys");
  const { jwksUrl, ...draft } = checkedOidc(oidc, rules);
  if (jwksUrl === undefined) throw faultOf("required", "publishableConfig.oidc.jwksUrl", "is required of an import");
  return { ...draft, jwksUrl };
}

function refuseFuture(field: string, instant: Date | null, now: Date): void {
  if (instant !== null && instant > now) throw invalid(field, "must not be in the future");
}
