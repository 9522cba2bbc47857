// promise: cli.terminal
import { afterAll, beforeAll, expect, test } from "vitest";
import { newTenant } from "../harness/latchkey.ts";
import { masked, succeed } from "./command-line.ts";
import { type CommandTarget, startTarget } from "./services.ts";

let target: CommandTarget;
let env: Record<string, string>;
/** Of one key that is active and one that was revoked. */
beforeAll(async () => {
  target = await startTarget("the embedded store");
  env = await target.user({ tenant_id: newTenant() });
  const create = ["keys", "create", "--expires", "2040-01-31T12:00:00Z", "--json"];
  const first = await succeed([...create, "--name", "the key of our billing", "--scope", "plans:read,plans:write"], {
    env,
  });
  await succeed([...create, "--name", "\u001b]0;title\u0007", "--scope", "*"], { env });
  await succeed(["keys", "revoke", first.json().result.key_id], { env });
});
afterAll(() => target.close());

const list = async (variables: Record<string, string>): Promise<string> =>
  (await succeed(["keys", "list"], { env: { ...env, ...variables } })).stdout;
const KEY_ID = `key_${"0".repeat(32)}`;

test("a table is as wide as it needs where the output is not a terminal", async () => {
  expect(masked(await list({}))).toBe(
    [
      "KEY_ID                                NAME                    KEY_PREFIX    STATUS   PERMISSIONS             EXPIRES_AT            LAST_USED_AT",
      `${KEY_ID}  \\u001b]0;title\\u0007    sk_000000000  active   *                       2030-01-31T12:00:00Z`,
      `${KEY_ID}  the key of our billing  sk_000000000  revoked  plans:read,plans:write  2030-01-31T12:00:00Z`,
      "",
    ].join("\n"),
  );
});

test("COLUMNS shortens names and scopes first, and then has each key as a record", async () => {
  const narrow = masked(await list({ COLUMNS: "130" }));
  for (const line of narrow.split("\n")) expect(line.length).toBeLessThanOrEqual(130);
  expect(narrow).toMatch(/^key_0{32} {2}the key of our? ?\S*… +sk_0{9} +revoked /m);
  expect(masked(await list({ COLUMNS: "80" }))).toBe(
    [
      `key_id        ${KEY_ID}`,
      "name          \\u001b]0;title\\u0007",
      "key_prefix    sk_000000000",
      "status        active",
      "permissions   *",
      "expires_at    2030-01-31T12:00:00Z",
      "",
      `key_id        ${KEY_ID}`,
      "name          the key of our billing",
      "key_prefix    sk_000000000",
      "status        revoked",
      "permissions   plans:read,plans:write",
      "expires_at    2030-01-31T12:00:00Z",
      "",
    ].join("\n"),
  );
});

test("colours are for terminals; FORCE_COLOR has them anywhere, and NO_COLOR nowhere", async () => {
  const csi = "\u001b[";
  expect(await list({})).not.toContain(csi);
  const coloured = await list({ FORCE_COLOR: "1" });
  expect(coloured).toContain(`${csi}32mactive${csi}39m`);
  expect(coloured).toContain(`${csi}31mrevoked${csi}39m`);
  expect(await list({ NO_COLOR: "1" })).not.toContain(csi);
});

test("a list without items prints nothing to stdout, and a further page is named on stderr", async () => {
  const empty = await succeed(["keys", "list", "--status", "expired"], { env });
  expect(empty).toMatchObject({ stdout: "", stderr: "None.\n" });
  const paged = await succeed(["keys", "list", "--per-page", "1"], { env });
  expect(paged.stderr).toBe("Page 1 of 2, 2 in all.\n");
});
