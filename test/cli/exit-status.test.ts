// promise: cli.secrets, cli.exit
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../servers/free-port.ts";
import { latchkey, succeed } from "./command-line.ts";
import { type CommandTarget, startTarget } from "./services.ts";

let target: CommandTarget;
let user: Record<string, string>;
beforeAll(async () => {
  target = await startTarget("the embedded store");
  user = await target.user();
});
afterAll(() => target.close());

test("1: the service denies the call, and stderr has its message, the denial's reason and the request's id", async () => {
  const env = { LATCHKEY_URL: target.url, LATCHKEY_KEY: `sk_${"0".repeat(36)}` };
  const { status, stdout, stderr } = await latchkey(["whoami"], { env });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^latchkey: Unauthenticated: .+ \(denial_reason \w+, request_id req_\w+\)\n$/m);
  expect(stderr).not.toContain(env.LATCHKEY_KEY);
});

test("1: with --json stderr has the error's reason and the member at fault, for programs", async () => {
  const { status, stdout, stderr } = await latchkey(["keys", "get", "key_none", "--json"], { env: user });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(JSON.parse(stderr)).toEqual({
    code: "not_found",
    reason: "key_not_found",
    field: "key_id",
    message: expect.stringContaining("no such API key"),
    request_id: expect.stringMatching(/^req_/),
  });
  const rejected = await latchkey(["keys", "create", "--name", "a", "--scope", "plans:reed", "--json"], { env: user });
  expect(JSON.parse(rejected.stderr)).toMatchObject({ reason: "unknown_scope", field: "permissions[0]" });
  expect(rejected.stderr.trimEnd()).not.toContain("\n");
});

test("1: an API key cannot manage keys, and the service's message says what is needed", async () => {
  const { stdout } = await succeed(["keys", "create", "--name", "a", "--scope", "plans:read"], { env: user });
  const { status, stderr } = await latchkey(["keys", "list"], {
    env: { LATCHKEY_URL: target.url, LATCHKEY_KEY: stdout },
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/dashboard user/);
});

describe("2: nothing is sent where the command line cannot be used", () => {
  test.each([
    ["no credentials", ["keys", "list"], {}, /LATCHKEY_TOKEN/],
    [
      "the operator without a tenant",
      ["keys", "create", "--name", "a", "--scope", "b:c"],
      { OPERATOR_TOKEN: "x" },
      /--tenant/,
    ],
    ["an unknown command", ["keys", "crate"], {}, /create/],
    ["no command", ["keys"], {}, /Usage: latchkey keys/],
    ["an unknown option", ["keys", "list", "--pages", "2"], {}, /--page/],
    ["a secret as an argument", ["keys", "list", "--token", "x"], {}, /unknown option '--token'/],
    ["a missing argument", ["keys", "get"], {}, /key_id/],
    ["a missing option", ["keys", "create", "--name", "a"], {}, /--scope/],
    ["a wrong number", ["keys", "list", "--page", "0"], {}, /whole number/],
    ["a wrong choice", ["keys", "list", "--status", "gone"], {}, /active, expired, disabled, revoked/],
    ["nothing to update", ["keys", "update", "key_1"], {}, /at least one option/],
    ["a file that is not there", ["keys", "list", "--token-file", "/no/such/file"], {}, /cannot be read/],
    ["a URL that is none", ["keys", "list", "--url", "nowhere"], { LATCHKEY_TOKEN: "x" }, /must be a URL/],
    ["a provider that is no JSON", ["keys", "check-oidc", "--oidc-file", "-"], { LATCHKEY_TOKEN: "x" }, /OidcConfig/],
  ])("%s", async (_, args, env, message) => {
    const { status, stdout, stderr } = await latchkey(args, { env });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });
});

test("3: there is no service, and stderr says where it was looked for", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { status, stderr } = await latchkey(["keys", "list", "--url", url, "--timeout", "5"], { env: user });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^latchkey: Unavailable: .*127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
});

test("0: help and version go to stdout", async () => {
  const help = await latchkey(["help"]);
  expect(help).toMatchObject({ status: 0, stderr: "" });
  expect(help.stdout).toContain("Exit status: 0 done; 1 ");
  expect((await latchkey(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
