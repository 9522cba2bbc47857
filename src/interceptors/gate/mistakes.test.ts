import { ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { AUTHORIZATION_MISTAKES } from "../../../test/contract/mistakes/authorization.ts";
import { KEY_MISTAKES } from "../../../test/contract/mistakes/keys.ts";
import { type Mistake, messageOf } from "../../../test/contract/mistakes/mistake.ts";
import { TOKEN_MISTAKES } from "../../../test/contract/mistakes/tokens.ts";
import { newCall, startGate } from "../../../test/harness/memory-gate.ts";
import { DENIALS } from "../../domain/vocabulary/denial.ts";

const LIST_THREADS = "/api/v1/llm/gateway/list-threads";
const OIDC = { issuer: "https://idp.example.com", audience: "my-app", requiredClaims: { plan: "pro" } };

/** The contract tests send the same mistakes over the wire, in every protocol. */
test.each([...KEY_MISTAKES, ...AUTHORIZATION_MISTAKES, ...TOKEN_MISTAKES])(
  "$mistake: $answer",
  async (mistake: Mistake) => {
    const { path = LIST_THREADS, headers, answer } = mistake;
    const { gate, methodOf, storeKey, storePublishableKey, userToken, dashboardToken } = await startGate();
    const { secret } = await storeKey({ permissions: ["conversations:read"] });
    const publishable = await storePublishableKey(OIDC);
    const sent: Readonly<Record<string, string>> =
      headers === undefined
        ? {}
        : headers({
            secretKey: secret,
            publishableKey: publishable.secret,
            userToken: (claims, signer, header) =>
              userToken({ iss: OIDC.issuer, aud: OIDC.audience, plan: "pro", ...claims }, signer, header),
            dashboardToken,
          });
    const values = (name: string): string[] => (sent[name] === undefined ? [] : [sent[name]]);
    const call = newCall({
      apiKey: values("x-api-key"),
      authorization: values("authorization"),
      onBehalfOf: values("x-on-behalf-of"),
    });
    const err = await Promise.resolve(gate.check(methodOf(path), call)).catch((refusal: unknown) => refusal);
    if (!(err instanceof ConnectError) || call.denial === undefined) throw new Error("no denial", { cause: err });
    const { reason } = call.denial;
    expect([`${DENIALS[reason].status} ${reason}`, err.rawMessage]).toEqual([answer, messageOf(mistake)]);
  },
);
