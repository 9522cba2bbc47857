import { createRemoteJWKSet, jwtVerify } from "jose";
import { Denial } from "../../domain/denial.ts";
import type { Clock, TokenVerifier } from "../../domain/ports.ts";
export function createTokenVerifier(ctx: {
  clock: Clock;
  jwksAllowedHosts: readonly string[];
}): TokenVerifier & { close(): Promise<void> } {
  const sets = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
  return {
    async close() {},
    async verify(token, expected) {
      let set = sets.get(expected.jwksUrl);
      if (set === undefined) sets.set(expected.jwksUrl, (set = createRemoteJWKSet(new URL(expected.jwksUrl))));
      try {
        const { payload } = await jwtVerify(token, set, {
          issuer: expected.issuer,
          audience: expected.audience,
          currentDate: ctx.clock(),
        });
        return payload;
      } catch {
        throw new Denial("jwt_malformed");
      }
    },
  };
}
