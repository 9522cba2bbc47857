import type { ColumnType, GeneratedAlways } from "kysely";
import type { PublicJwk } from "../../domain/access-tokens/signing-key.ts";
import type { ClaimRule } from "../../domain/tokens/claim-rules.ts";
import type { Json } from "./json-column.ts";

export interface SigningKeyTable {
  kid: string;
  public_jwk: Json<PublicJwk>;
  private_key: Uint8Array;
  is_active: boolean;
  created_at: ColumnType<Date, Date | undefined, never>;
  until: Date | null;
}

export interface AccessTokenTable {
  token_id: string;
  /** Order of the tokens of one millisecond. */
  seq: GeneratedAlways<number>;
  tenant_id: string;
  key_id: string;
  secret_hash: Uint8Array;
  scopes: Json<readonly string[]>;
  user_id: string | null;
  audience: string;
  confirmation_jkt: string | null;
  rule_id: string | null;
  created_at: ColumnType<Date, Date | undefined, never>;
  expires_at: Date;
  revoked_at: ColumnType<Date | null, never, Date>;
}

export interface FederationRuleTable {
  rule_id: string;
  tenant_id: string;
  /** Order of creation. */
  seq: GeneratedAlways<number>;
  name: string;
  issuer: string;
  jwks_url: string | null;
  jwks: Json<object> | null;
  audience: string;
  claim_rules: Json<readonly ClaimRule[]>;
  key_id: string;
  scopes: Json<readonly string[]>;
  ttl_seconds: number;
  status: "enabled" | "disabled";
  created_at: ColumnType<Date, Date | undefined, never>;
  updated_at: ColumnType<Date, Date | undefined, Date>;
}
