import { describe, expect, test } from "vitest";
import { AUDIENCE, ISSUER, startKeyServer, startVerifier } from "../../../test/jwks/provider.ts";
import { HAS_WYCHEPROOF, wycheproofVectors } from "../../../test/jwks/wycheproof.ts";
import { Denial } from "../../domain/denial.ts";

if (HAS_WYCHEPROOF) {
  describe("Wycheproof, at the verifier", () => {
    test.each(wycheproofVectors())("$name", async ({ keys, token, denials, isSignatureValid }) => {
      const server = await startKeyServer(...keys);
      const expected = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: server.url, jwksTrust: "operator" } as const;
      const err: unknown = await startVerifier({})
        .verifier.verify(token, expected)
        .catch((err: unknown) => err);
      if (!(err instanceof Denial)) throw err;
      expect(denials).toContain(err.reason);
      expect(err.message.includes("payload")).toBe(isSignatureValid);
    });
  });
} else {
  test("the vectors of Wycheproof are not beside this repository", () => expect(wycheproofVectors()).toEqual([]));
}
