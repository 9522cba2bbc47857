// promise: cli.secrets, cli.terminal
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { newTenant } from "../harness/latchkey.ts";
import { latchkey, succeed } from "./command-line.ts";
import { type CommandTarget, startTarget } from "./services.ts";

let target: CommandTarget;
beforeAll(async () => {
  target = await startTarget("the embedded store");
});
afterAll(() => target.close());

const KEY = makeSecret("secret");
const TOKEN = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJl";
const OPERATOR_TOKEN = "Zr4kXv0D3b7yWk1oN5cJ8h2LmTgS6uEa";

describe("a credential that is given as an argument by mistake is not repeated", () => {
  test.each([
    ["for a command", (secret: string) => [secret]],
    ["for a command of a group", (secret: string) => ["keys", secret]],
    ["as one argument too many", (secret: string) => ["keys", "list", secret]],
    ["behind an option that there is not", (secret: string) => ["keys", "list", `--token=${secret}`]],
    ["as a number", (secret: string) => ["keys", "list", "--page", secret]],
    ["as a choice", (secret: string) => ["keys", "list", "--status", secret]],
    ["as a file with a token", (secret: string) => ["keys", "list", "--token-file", secret]],
    ["as a file with a key", (secret: string) => ["whoami", "--key-file", secret]],
    [
      "as a file with the operator's token",
      (secret: string) => ["operator", "tenants", "list", "--operator-token-file", secret],
    ],
    ["as a URL", (secret: string) => ["keys", "list", "--url", `http://${secret.replaceAll(".", "-")}.invalid`]],
  ])("%s", async (_, argsOf) => {
    const env = { LATCHKEY_TOKEN: "token" };
    for (const secret of [KEY, TOKEN, OPERATOR_TOKEN]) {
      const { status, stdout, stderr } = await latchkey(argsOf(secret), { env });
      expect(status).toBeGreaterThan(1);
      expect(stderr).not.toBe("");
      // The operator's token has no form by which a host's name could be recognized as one.
      if (secret === OPERATOR_TOKEN && argsOf("").includes("--url")) continue;
      const seen = (stdout + stderr).toLowerCase();
      for (const part of secret.split(".")) expect(seen).not.toContain(part.slice(3, 20).toLowerCase());
    }
  });

  test("as a key_id, which the service answers", async () => {
    const env = await target.user();
    const { status, stderr } = await latchkey(["keys", "get", KEY], { env });
    expect(status).toBe(1);
    expect(stderr).not.toContain(KEY.slice(0, 13));
  });
});

test("--json escapes what a terminal would act on, and stays the same JSON", async () => {
  const env = await target.user({ tenant_id: newTenant() });
  const name = "\u009b31m red \u202e txt.exe \u2028 \u007f end";
  await succeed(["keys", "create", "--name", name, "--scope", "plans:read", "--json"], { env });
  const listed = await succeed(["keys", "list", "--json"], { env });
  expect(listed.stdout).toMatch(/^[\n -~]*$/);
  expect(listed.stdout).toContain("\\u009b31m red \\u202e txt.exe \\u2028 \\u007f end");
  expect(listed.json().keys[0].name).toBe(name);
});

describe("a URL that begins with http:// is warned of, because others could read the credentials", () => {
  const warned = async (...args: string[]): Promise<boolean> => {
    const { stderr } = await latchkey(["keys", "list", "--timeout", "5", ...args], {
      env: { LATCHKEY_TOKEN: "token" },
    });
    return /^Warning: .* in the clear; use https:\/\/\.$/m.test(stderr);
  };

  test.each(["http://latchkey.invalid", "http://latchkey.invalid:8080/", "HTTP://192.0.2.1:1"])("%s", async (url) => {
    expect(await warned("--url", url)).toBe(true);
    expect(await warned("--url", url, "--quiet")).toBe(false);
  });

  test.each(["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://latchkey.invalid"])(
    "but not %s",
    async (url) => {
      expect(await warned("--url", url)).toBe(false);
    },
  );
});
