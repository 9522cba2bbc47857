import type { Catalogue } from "../domain/access/catalogue.ts";
import { type ProtectedResource, protectedResource } from "../domain/access/protected-resource.ts";
import { isSafeUrl, type Reader } from "./reader.ts";

const URL_NAME = "RESOURCE_URL";
const SERVERS_NAME = "RESOURCE_AUTHORIZATION_SERVERS";
const SCOPES_NAME = "RESOURCE_SCOPES";

/** The proxies' upstream, as a resource of OAuth. Null: no resource. */
export function readResource(reader: Reader, catalogue: Catalogue): ProtectedResource | null {
  const url = reader.text(URL_NAME);
  const servers = listed(reader, SERVERS_NAME);
  const scopes = listed(reader, SCOPES_NAME);
  if (url === undefined) {
    for (const [name, list] of [[SERVERS_NAME, servers] as const, [SCOPES_NAME, scopes] as const])
      if (list.length > 0) reader.refuse(name, `has no effect without ${URL_NAME}`);
    return null;
  }
  if (!isSafeUrl(url) || /[?#]/.test(url)) {
    reader.refuse(
      URL_NAME,
      "must be a URL that begins with https://, unless the host is this machine, without user name, password, query and fragment",
    );
    return null;
  }
  const issuer = reader.text("OIDC_ISSUER");
  const issuers = servers.length > 0 ? servers : issuer === undefined ? [] : [issuer];
  if (issuers.length === 0) reader.refuse(SERVERS_NAME, `is required with ${URL_NAME} where OIDC_ISSUER is not set`);
  if (!issuers.every(isSafeUrl))
    reader.refuse(
      SERVERS_NAME,
      `must be issuers that begin with https://, unless the host is this machine, separated by commas; it is OIDC_ISSUER if it is not set`,
    );
  if (scopes.some((scope) => !catalogue.isAction(scope)))
    reader.refuse(SCOPES_NAME, "must be known scopes, such as plans:read, separated by commas");
  return protectedResource(url, issuers, scopes);
}

function listed(reader: Reader, name: string): readonly string[] {
  return (reader.text(name) ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
