import type { AccessTokenConfig } from "../config/settings.ts";
import { open } from "../store/jwks/issuer/sealed-key.ts";
import { createSigningKeyStore } from "../store/sql/access-tokens/signing-keys.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import type { Findings } from "./finding.ts";

const SUBJECT = "tokens";

/** The keys that sign tokens of the service's own: whether TOKEN_SECRET decrypts those that it will need. */
export async function* checkSigningKeys(database: SqlDatabase, { issuer, secrets }: AccessTokenConfig): Findings {
  const keys = (await createSigningKeyStore(database).readKeys()).filter(({ state }) => state.kind !== "retired");
  const sealed = keys.filter(({ kid, sealedKey }) =>
    secrets.every((secret) => open(secret, kid, sealedKey) === undefined),
  );
  for (const { kid } of sealed) {
    yield {
      level: "problem",
      subject: SUBJECT,
      text: `TOKEN_SECRET does not decrypt the signing key ${kid}: set the secret that it was encrypted with`,
    };
  }
  if (sealed.length > 0) return;
  const text = keys.length === 0 ? "the first start makes a signing key" : "TOKEN_SECRET decrypts the signing keys";
  yield { level: "ok", subject: SUBJECT, text: `issued as ${issuer}; ${text}` };
}
