// promise: cli.output, cli.first-key
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { post } from "../harness/http.ts";
import { newTenant } from "../harness/latchkey.ts";
import { latchkey, succeed } from "./command-line.ts";
import { type CommandTarget, startTarget } from "./services.ts";

const SECRET_KEY = /^sk_[0-9a-zA-Z]+\n$/;
const NEW = ["keys", "create", "--name", "a key", "--scope", "conversations:read"];

describe.each(["PostgreSQL and Redis", "the embedded store"] as const)("keys on %s", (storage) => {
  let target: CommandTarget;
  let env: Record<string, string>;
  beforeAll(async () => {
    target = await startTarget(storage);
    env = await target.user();
  });
  afterAll(() => target.close());

  async function createKey(...options: string[]): Promise<{ key_id: string; key: string }> {
    const { result } = (await succeed([...NEW, ...options, "--json"], { env })).json();
    return result;
  }

  test("the first key needs only the operator's token, and works", async () => {
    const tenant = newTenant();
    for (const command of [NEW, ["operator", ...NEW]]) {
      const { stdout, stderr } = await succeed([...command, "--tenant", tenant], { env: target.operator });
      expect(stdout).toMatch(SECRET_KEY);
      expect(stderr).not.toContain(stdout.trim());
      expect(stderr).toMatch(/^key_id {6}key_[0-9a-f]{32}\nkey_prefix {2}sk_/);
      const caller = await succeed(["whoami", "--json"], { env: { LATCHKEY_URL: target.url, LATCHKEY_KEY: stdout } });
      expect(caller.json()).toMatchObject({ caller: "CALLER_SECRET_KEY", tenant_id: tenant });
    }
  });

  test("stdout has only a new key's value, and stderr never has it", async () => {
    const created = await succeed(NEW, { env });
    expect(created.stdout).toMatch(SECRET_KEY);
    expect(created.stderr).not.toContain(created.stdout.trim());
    expect(created.stderr).toContain("only time");
    const quiet = await succeed([...NEW, "--quiet"], { env });
    expect(quiet.stdout).toMatch(SECRET_KEY);
    expect(quiet.stderr).toBe("");
    const { key_id } = await createKey();
    const rotated = await succeed(["keys", "rotate", key_id, "--grace-hours", "0"], { env });
    expect(rotated.stdout).toMatch(SECRET_KEY);
    expect(rotated.stderr).not.toContain(rotated.stdout.trim());
  });

  test("with --client-request-id a command that is run again makes no second key, and prints nothing to store", async () => {
    const create = [...NEW, "--client-request-id", `deploy-${storage}`];
    const first = (await succeed([...create, "--json"], { env })).json().result;
    const again = await latchkey(create, { env });
    expect(again).toMatchObject({ status: 1, stdout: "" });
    expect(again.stderr).toContain(`has made ${first.key_id}`);
    const repeated = (await succeed([...create, "--json"], { env })).json().result;
    expect(repeated).toMatchObject({ key_id: first.key_id, key: "", already_created: true });
    const rotate = ["keys", "rotate", first.key_id, "--client-request-id", `rotate-${storage}`, "--json"];
    const successor = (await succeed(rotate, { env })).json().result;
    expect((await succeed(rotate, { env })).json().result.key_id).toBe(successor.key_id);
    for (const command of [create, ["operator", ...create]]) {
      const ofTenant = [...command, "--tenant", `ten_${storage}`, "--json"];
      const made = (await succeed(ofTenant, { env: target.operator })).json().result;
      expect((await succeed(ofTenant, { env: target.operator })).json().result.key_id).toBe(made.key_id);
    }
  });

  test("a key is disabled, enabled, updated and revoked, and its record shows it", async () => {
    const { key_id } = await createKey("--rate-limit", "60/min,burst=10");
    const shows = async (...args: string[]) => (await succeed(["keys", ...args], { env })).stdout;
    expect(await shows("get", key_id)).toMatch(/^rate_limit +60\/min,burst=10$/m);
    expect(await shows("disable", key_id)).toMatch(/^status +disabled$/m);
    expect(await shows("enable", key_id)).toMatch(/^status +active$/m);
    const changes = [
      "--name",
      "another",
      "--scope",
      "plans:read,plans:write",
      "--rate-limit",
      "none",
      "--expires",
      "90d",
    ];
    const updated = await shows("update", key_id, ...changes);
    expect(updated).toMatch(/^name +another$/m);
    expect(updated).toMatch(/^permissions +plans:read,plans:write$/m);
    expect(updated).toMatch(/^rate_limit +none$/m);
    expect(updated).toMatch(/^expires_at +\d{4}-/m);
    expect(await shows("update", key_id, "--expires", "never")).not.toMatch(/^expires_at/m);
    expect(await shows("revoke", key_id)).toMatch(/^status +revoked$/m);
    expect(await shows("list", "--status", "revoked")).toContain(key_id);
  });

  test("keys are found by what is kept with them, and it is shown and cleared", async () => {
    const externalId = newTenant();
    const tags = ["--external-id", externalId, "--metadata", '{"plan":"pro"}'];
    const { key_id } = await createKey(...tags);
    const filters = [
      ...["--type", "secret", "--name-prefix", "A", "--key-prefix", "sk_", "--scope", "conversations:read"],
    ];
    const found = [...["--search", "A KEY", "--expires-before", "2d", "--last-used-before", "2030-01-01T00:00:00Z"]];
    const expiring = ["keys", "list", "--json", "--external-id", externalId, ...found];
    expect((await succeed(expiring, { env })).json()).toMatchObject({ pagination: { total: 0 } });
    await succeed(["keys", "update", key_id, "--expires", "1d"], { env });
    expect((await succeed(expiring, { env })).json()).toMatchObject({ keys: [{ key_id }] });
    expect((await succeed([...expiring, "--leaked"], { env })).json()).toMatchObject({ keys: [] });
    const list = ["keys", "list", "--json", "--sort", "last-used", "--external-id", externalId, ...filters];
    expect((await succeed(list, { env })).json()).toMatchObject({ keys: [{ key_id }], pagination: { total: 1 } });
    const shown = (await succeed(["keys", "get", key_id], { env })).stdout;
    expect(shown).toMatch(new RegExp(`^external_id +${externalId}$`, "m"));
    expect(shown).toMatch(/^metadata +\{"plan":"pro"\}$/m);
    const cleared = await succeed(["keys", "update", key_id, "--metadata", "none", "--external-id", ""], { env });
    expect(cleared.stdout).not.toMatch(/^(metadata|external_id)/m);
    expect((await succeed(list, { env })).json()).toMatchObject({ keys: [], pagination: { total: 0 } });
  });

  test("from where a key may be used is set, shown and cleared", async () => {
    const { key_id } = await createKey("--allowed-ip", "192.0.2.1,10.0.0.0/8", "--allow-browser");
    const shown = (await succeed(["keys", "get", key_id], { env })).stdout;
    expect(shown).toMatch(/^allowed_ips +192\.0\.2\.1,10\.0\.0\.0\/8$/m);
    expect(shown).toMatch(/^allow_browser +yes$/m);
    const update = (...options: string[]) => succeed(["keys", "update", key_id, ...options], { env });
    expect((await update("--allowed-ip", "none", "--no-allow-browser")).stdout).not.toMatch(/^allow/m);
    expect((await update("--allow-browser")).stdout).toMatch(/^allow_browser +yes$/m);
  });

  test("the rules for keys are set, shown and enforced", async () => {
    const own = { env: await target.user() };
    await succeed(["keys", "policy", "set", "--policy", '{"max_lifetime_hours":24}'], own);
    expect((await succeed(["keys", "policy", "get"], own)).stdout).toMatch(/^max_lifetime_hours +24$/m);
    expect(await latchkey(NEW, own)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("rule max_lifetime_hours"),
    });
    const unread = await latchkey(["keys", "policy", "set", "--policy", '{"lifetime":24}'], own);
    expect(unread).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--policy is not the JSON of a KeyPolicy"),
    });
  });

  test("usage and explain show what became of requests, and what would", async () => {
    const { key_id, key } = await createKey();
    await succeed(["whoami"], { env: { LATCHKEY_URL: target.url, LATCHKEY_KEY: key } });
    expect((await succeed(["keys", "usage", key_id], { env })).stdout).toMatch(/^total_verifications +1$/m);
    const series = await succeed(["keys", "usage", key_id, "--from", "2h"], { env });
    expect(series.stdout.match(/^\d{4}-\S+ +1$/gm)).toHaveLength(1);
    const top = await succeed(["usage", "top", "--json"], { env });
    expect(top.json().keys).toContainEqual(expect.objectContaining({ key_id, total_verifications: 1 }));
    expect((await succeed(["usage", "series", "--step", "day", "--from", "2d"], { env })).stdout).toMatch(/^FROM /);
    const allowed = await succeed(["keys", "explain", key_id], { env });
    expect(allowed.stderr).toBe("The key would be admitted.\n");
    const denied = await succeed(["keys", "explain", key_id, "--scope", "plans:read"], { env });
    expect(denied.stderr).toBe("The key would be denied: insufficient_scope\n");
    expect(denied.stdout).toMatch(/^scope +no +/m);
  });

  test("a publishable key is made from a file of its provider, and the provider is checked", async () => {
    const oidc = JSON.stringify({
      issuer: "https://issuer.test",
      jwksUrl: "https://issuer.test/jwks",
      audience: "app",
    });
    const args = [...NEW, "--type", "publishable", "--oidc-file", "-"];
    const { stdout } = await succeed(args, { env, stdin: oidc });
    expect(stdout).toMatch(/^pk_/);
    const checked = await succeed(["keys", "check-oidc", "--oidc-file", "-"], { env, stdin: oidc });
    expect(checked.stdout).toMatch(/^key_set +no +/m);
  });

  test("--json prints the response of the HTTP API", async () => {
    const { key_id } = await createKey();
    const headers = { authorization: `Bearer ${env.LATCHKEY_TOKEN}` };
    const calls = [
      [["keys", "get", key_id], "/api/v1/api-keys/get", { key_id }],
      [["keys", "list", "--per-page", "2"], "/api/v1/api-keys/list", { per_page: 2 }],
      [["scopes"], "/api/v1/scopes/list", {}],
    ] as const;
    for (const [args, path, body] of calls) {
      const { stdout, stderr } = await succeed([...args, "--json"], { env });
      expect(JSON.parse(stdout)).toEqual((await post(target.url, path, body, headers)).json);
      expect(stdout.indexOf("\n")).toBe(stdout.length - 1);
      expect(stderr).toBe("");
    }
  });

  test("a key of another tenant fails exactly like one that does not exist", async () => {
    const { key_id } = await createKey();
    const other = await target.user();
    const foreign = await latchkey(["keys", "revoke", key_id], { env: other });
    const unknown = await latchkey(["keys", "revoke", `key_${"0".repeat(32)}`], { env: other });
    expect(foreign.status).toBe(1);
    expect(foreign.stdout).toBe("");
    const withoutId = ({ stderr }: typeof foreign) => stderr.replace(/req_\w+/, "");
    expect(withoutId(foreign)).toBe(withoutId(unknown));
    expect(foreign.stderr).toMatch(/^latchkey: NotFound: /);
  });
});
