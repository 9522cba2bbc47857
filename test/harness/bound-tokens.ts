import { derivingKey } from "./derived-tokens.ts";
import type { Latchkey } from "./latchkey.ts";
import { newSender, type ProofParts } from "./proofs.ts";
import { TOKEN_ISSUER } from "./token-settings.ts";

/** A token that is bound to its sender's key. */
export async function newBoundToken(latchkey: Latchkey, fields: Record<string, unknown> = {}) {
  const sender = await newSender();
  const key = await derivingKey(latchkey, fields);
  const { token, token_id: tokenId } = await key.derive({
    scopes: ["plans:read"],
    confirmation_jkt: sender.jkt,
  });
  const prove = (path: string, { header = {}, claims = {} }: ProofParts = {}, method = "POST", by = sender) =>
    by.prove(method, path.startsWith("/") ? TOKEN_ISSUER + path : path, token, {
      header,
      claims: { iat: Math.floor(latchkey.clock.now().getTime() / 1_000), ...claims },
    });
  return {
    key,
    sender,
    token: String(token),
    tokenId: String(tokenId),
    /** A proof for a request with the token, at the time of the service. A path is one of the service. */
    prove,
    /** The headers of such a request. */
    async headers(path: string, parts?: ProofParts, method?: string) {
      return { authorization: `DPoP ${token}`, dpop: await prove(path, parts, method) };
    },
  };
}
