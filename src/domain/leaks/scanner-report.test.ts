// promise: leaks.github
import { createPublicKey } from "node:crypto";
import { expect, test } from "vitest";
import { isSignedByScanner } from "./scanner-report.ts";

test("the example of GitHub's documentation is signed by its key, and an altered body is not", () => {
  const key = createPublicKey(`-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsz9ugWDj5jK5ELBK42ynytbo38gP
HzZFI03Exwz8Lh/tCfL3YxwMdLjB+bMznsanlhK0RwcGP3IDb34kQDIo3Q==
-----END PUBLIC KEY-----`);
  const signature = "MEUCIFLZzeK++IhS+y276SRk2Pe5LfDrfvTXu6iwKKcFGCrvAiEAhHN2kDOhy2I6eGkOFmxNkOJ+L2y8oQ9A2T9GGJo6WJY=";
  const body = '[{"token":"some_token","type":"some_type","url":"some_url","source":"some_source"}]';
  expect(isSignedByScanner(key, signature, Buffer.from(body))).toBe(true);
  expect(isSignedByScanner(key, signature, Buffer.from(`${body}\n`))).toBe(false);
});
