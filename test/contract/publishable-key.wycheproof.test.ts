import { beforeAll, describe, expect, test } from "vitest";
import { type PublishableService, sharedPublishable } from "../harness/publishable.ts";
import { HAS_WYCHEPROOF, wycheproofVectors } from "../jwks/wycheproof.ts";

if (HAS_WYCHEPROOF) {
  describe("Wycheproof, each vector's key at the jwksUrl of a publishable key", () => {
    let service: PublishableService;

    beforeAll(async () => {
      service = await sharedPublishable();
    });

    test.each(wycheproofVectors())("$name", async ({ keys, token, denials, isSignatureValid }) => {
      const app = await service.newApp({ document: service.keyHost.document(...keys) });
      const { status, json } = await app.verify(token);
      expect(status).toBe(401);
      // Of an empty token nothing but the word Bearer arrives.
      expect(token === "" ? ["publishable_key_requires_jwt"] : denials).toContain(json.denial_reason);
      expect(json.message.includes("payload")).toBe(isSignatureValid);
    });

    test("is there as a whole", () => {
      const vectors = wycheproofVectors();
      expect(vectors).toHaveLength(401 + 26 + 83 + 139);
      expect(vectors.filter(({ isSignatureValid }) => isSignatureValid).length).toBeGreaterThan(30);
    });
  });
} else {
  test("the vectors of Wycheproof are not beside this repository", () => expect(wycheproofVectors()).toEqual([]));
}
