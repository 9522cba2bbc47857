import { readSecrets } from "./access.ts";
import { isSafeUrl, type Reader } from "./reader.ts";
import type { AccessTokenConfig } from "./settings.ts";

const SECRET = "TOKEN_SECRET";
const ISSUER = "TOKEN_ISSUER";

/** What tokens of the service's own need. Null: it issues none. */
export function readAccessTokens(reader: Reader): AccessTokenConfig | null {
  const secrets = readTokenSecrets(reader);
  const issuer = readIssuer(reader);
  const isSet = (name: string): boolean => reader.text(name) !== undefined;
  if (isSet(SECRET) !== isSet(ISSUER))
    reader.refuse(
      isSet(SECRET) ? ISSUER : SECRET,
      `is required as soon as one of ${SECRET} and ${ISSUER} is set, which tokens of this service's own need`,
    );
  return issuer === undefined || secrets.length === 0 ? null : { issuer, secrets };
}

/** The first encrypts signing keys, and each may decrypt them. */
export function readTokenSecrets(reader: Reader): readonly string[] {
  return readSecrets(reader, SECRET);
}

function readIssuer(reader: Reader): string | undefined {
  const issuer = reader.text(ISSUER);
  if (issuer === undefined) return undefined;
  if (!isSafeUrl(issuer) || /[?#]/.test(issuer))
    return reader.refuse(
      ISSUER,
      "must be the public URL of this service: one that begins with https://, unless the host is this machine, without user name, password, query and fragment",
    );
  return issuer;
}
