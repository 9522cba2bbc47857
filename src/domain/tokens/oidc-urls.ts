import { checkTenantUrl, URL_CHARS_MAX } from "../addresses/tenant-url.ts";
import { longerThan } from "../vocabulary/text-length.ts";

/** Neither white space nor characters without a shape of their own. */
const VISIBLE = /^[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]+$/u;
const TEMPLATE =
  "must not contain { or }: a template, such as Entra's {tenantid}, would let in the users of every tenant of the provider; give the issuer of one, exactly as its tokens have it in iss";

/** The problem with an issuer, or undefined. It is compared with tokens and never fetched, so it need not be a URL. */
export function checkIssuer(value: string): string | undefined {
  if (longerThan(value, URL_CHARS_MAX)) return `must be at most ${URL_CHARS_MAX} characters`;
  if (/[{}]/.test(value)) return TEMPLATE;
  return VISIBLE.test(value) ? undefined : "must be visible characters, without white space and control characters";
}

/** The problem with the URL of a tenant's key set, or undefined. */
export function checkJwksUrl(value: string, allowedHosts: readonly string[]): string | undefined {
  return checkTenantUrl(value, allowedHosts, "JWKS_ALLOWED_HOSTS");
}
