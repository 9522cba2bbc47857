import { TokenService } from "../../../gen/latchkey/v1/token_service_pb.ts";
import type { Catalogue } from "../../domain/access/catalogue.ts";
import { createTokenService } from "../../services/token-service.ts";
import type { StoredKeysIssuer } from "../../store/jwks/issuer/issuer.ts";
import type { Part, PartContext, PartEndpoints } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** Access tokens. */
export function openAccessTokens({ config, storage }: PartContext): Part {
  const { accessTokens, calls, keys, keyClock, tokenIssuer: issuer } = storage;
  const { catalogue } = config.access;
  return {
    services: [mounted(TokenService, createTokenService({ accessTokens, calls, keys, keyClock, issuer, catalogue }))],
    ...(issuer && { endpoints: documentsOf(issuer, catalogue) }),
    removals: [() => accessTokens.removeOldTokens()],
  };
}

function documentsOf(issuer: StoredKeysIssuer, { scopes }: Catalogue): PartEndpoints {
  return {
    tokenIssuer: {
      issuer: issuer.issuer,
      get publicJwks() {
        return issuer.publicJwks;
      },
      scopes: scopes.map(({ name }) => name),
    },
  };
}
