// promise: errors.links
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { lackedScope, tokenNotAllowed, wrongKind } from "../../clients/typescript/src/server/connect-denial.ts";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import { insufficientScope, wrongAudience } from "../../clients/typescript/src/server/refusal.ts";
import { DENIALS, Denial, type DenialReason } from "../../src/domain/vocabulary/denial.ts";
import { createErrorTranslator } from "../../src/interceptors/errors.ts";
import { failedAnswer } from "../../src/transport/answer/failed-answer.ts";

type Call = Parameters<typeof failedAnswer>[1];

const REASONS = Object.keys(DENIALS) as DenialReason[];

/** The message of a denial as a guard passes it on from a service with this `DOCS_URL`. */
async function relayed(reason: DenialReason, docsUrl: string): Promise<string> {
  const call = { requestId: "req_1" } as Call;
  const { status, body } = failedAnswer(createErrorTranslator(() => {}, docsUrl)(new Denial(reason), call), call);
  const guard = createGuard({
    baseUrl: "https://keys.example",
    fetch: async () => new Response(body, { status, headers: { "content-type": "application/json" } }),
  });
  const answer = await guard.fetch([], () => new Response())(new Request("https://plans.example"));
  const { message } = JSON.parse(await answer.text());
  expect([answer.status, message]).toEqual([status, expect.stringContaining(DENIALS[reason].sentence)]);
  return message;
}

test.each(REASONS)("a guard passes on %s with an absolute link only", async (reason) => {
  expect(await relayed(reason, "")).toBe(DENIALS[reason].sentence);
  expect(await relayed(reason, "https://keys.example")).toBe(
    `${DENIALS[reason].sentence} See https://keys.example/docs/errors#${reason}`,
  );
});

test("a guard's own denials have no link, since it does not know where the page is", () => {
  const headers = new Headers();
  const errors = [
    wrongKind("secret_key", [], headers),
    tokenNotAllowed([], headers),
    lackedScope("plans:read", headers),
  ];
  for (const err of errors) {
    expect([err instanceof ConnectError, err.code]).toEqual([true, Code.PermissionDenied]);
    expect(err.rawMessage).not.toContain("/docs/errors");
  }
  for (const { body } of [insufficientScope("No."), wrongAudience()]) expect(body).not.toContain("/docs/errors");
});
