import { createOwnIssuer, type IsOwnIssuer, OWN_ISSUER } from "../domain/tokens/own-issuer.ts";
import type { Config } from "./config.ts";
import type { Reader } from "./reader.ts";

type OwnPlaceConfig = Pick<Config, "accessTokens" | "host" | "port" | "adminPort">;

/** What this process refuses as an issuer or a key set: its own. */
export function ownIssuerOf({ accessTokens, host, port, adminPort }: OwnPlaceConfig): IsOwnIssuer {
  return createOwnIssuer({ issuer: accessTokens?.issuer, host, ports: [port, adminPort ?? 0] });
}

/** Refuses this service as the identity provider of its dashboard: a token is of the one that its iss names. */
export function refuseOwnProvider(reader: Reader, config: OwnPlaceConfig): void {
  const isOwnIssuer = ownIssuerOf(config);
  for (const name of ["OIDC_ISSUER", "OIDC_JWKS_URL"]) {
    const text = reader.text(name);
    if (text !== undefined && isOwnIssuer(text)) reader.refuse(name, `${OWN_ISSUER} (TOKEN_ISSUER)`);
  }
}
