import { execFile } from "node:child_process";
import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { chooseProviderPort } from "../harness/dev-provider.ts";
import { post } from "../harness/http.ts";
import { type Running, run } from "../harness/service-process.ts";
import { copyTemplate } from "../servers/embedded-template.ts";

let cwd: string;
let started: Running | undefined;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-dev-"));
});

afterEach(async () => {
  started?.child.kill("SIGKILL");
  await started?.ended();
  await rm(cwd, { recursive: true, force: true });
});

function startDev(env: Record<string, string>): Running {
  started = run("dev/main.ts", { PORT: "0", ...env }, cwd);
  return started;
}

/** The status that a refused start ends with. */
async function refusal(dev: Running): Promise<number | null | "none"> {
  const isServing = dev.waitFor(/Latchkey is running/).then(
    () => true,
    () => false,
  );
  return (await isServing) ? "none" : dev.ended();
}

describe("npm run dev", () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ["on every address", { HOST: "0.0.0.0" }, /^latchkey: HOST=0\.0\.0\.0 lets other machines reach .* container/],
    ["on every IPv6 address", { HOST: "::" }, /^latchkey: HOST=:: lets other machines reach/],
    ["under the name of a machine", { HOST: "dev-box" }, /^latchkey: HOST=dev-box lets other machines reach/],
    [
      "in production",
      { NODE_ENV: "production" },
      /^latchkey: NODE_ENV is production, .* Run npm start instead, or latchkey serve/,
    ],
    ["where it is forbidden", { HOST: "0.0.0.0", DEV_ALLOW_EXPOSED: "false" }, /^latchkey: HOST=0\.0\.0\.0 lets/],
  ])("is refused %s, in one line that says why and what to set, before it makes anything", async (_, env, line) => {
    const refused = startDev(env);
    expect(await refusal(refused)).toBe(1);
    expect(refused.output()).toMatch(line);
    expect(refused.output()).toMatch(
      /It accepts every token signed with the key in \.latchkey\/dev.* DEV_ALLOW_EXPOSED=true\.\n$/,
    );
    await expect(access(join(cwd, ".latchkey"))).rejects.toThrow("ENOENT");
  });

  test("is refused where DEV_ALLOW_EXPOSED is neither true nor false", async () => {
    const refused = startDev({ DEV_ALLOW_EXPOSED: "yes" });
    expect(await refusal(refused)).toBe(1);
    expect(refused.output()).toBe("latchkey: DEV_ALLOW_EXPOSED must be one of true, false\n");
  });

  test("serves other machines, also in production, once DEV_ALLOW_EXPOSED=true says that this is meant", async () => {
    await copyTemplate(inject("embeddedTemplate"), join(cwd, "data"));
    const dev = startDev({ DATA_DIR: "data", HOST: "0.0.0.0", NODE_ENV: "production", DEV_ALLOW_EXPOSED: "true" });
    await dev.waitFor(/Latchkey is running/);
  });

  test("needs no leave to listen on this machine's own addresses by any of their names", async () => {
    await copyTemplate(inject("embeddedTemplate"), join(cwd, "data"));
    await startDev({ DATA_DIR: "data", HOST: "localhost" }).waitFor(/Latchkey is running/);
  });
});

describe("a restart of npm run dev", () => {
  const TOKEN_COMMAND = fileURLToPath(new URL("../../src/dev/token.ts", import.meta.url));

  beforeEach(async () => {
    await copyTemplate(inject("embeddedTemplate"), join(cwd, "data"));
    await chooseProviderPort(cwd);
  });

  /** What a shell has after it has read `env.sh`, and a call of the tenant's by its token. */
  async function serve() {
    const dev = startDev({ DATA_DIR: "data" });
    await dev.waitFor(/\/try\n/);
    const text = await readFile(join(cwd, ".latchkey/dev/env.sh"), "utf8");
    const values = Object.fromEntries(
      [...text.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name = "", value = ""]) => [name, value]),
    );
    const url = values.LATCHKEY_URL ?? "";
    const call = async (path: string, body: object) => {
      const answer = await post(url, `/api/v1/${path}`, body, { authorization: `Bearer ${values.LATCHKEY_TOKEN}` });
      expect(answer.status, answer.text).toBe(200);
      return answer.json;
    };
    const verify = async (key = "") => (await post(url, "/api/v1/auth/verify", {}, { "x-api-key": key })).status;
    const stop = async () => {
      dev.child.kill("SIGTERM");
      expect(await dev.ended()).toBe(0);
      return dev.output();
    };
    return { values, text, call, verify, stop };
  }

  const tokenCommand = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [TOKEN_COMMAND, ...args], { cwd })).stdout.trim();

  test("has the same two keys, and makes another one in place of one that works no longer", async () => {
    const first = await serve();
    await first.stop();
    const second = await serve();
    const names = ["LATCHKEY_KEY", "LATCHKEY_KEY_ID", "LATCHKEY_PUBLISHABLE_KEY"];
    for (const name of names) expect(second.values[name]).toBe(first.values[name]);
    expect((await second.call("api-keys/list", {})).pagination.total).toBe(2);
    await second.call("api-keys/revoke", { key_id: second.values.LATCHKEY_KEY_ID });
    await second.stop();
    const third = await serve();
    expect(third.values.LATCHKEY_KEY).not.toBe(first.values.LATCHKEY_KEY);
    expect(await third.verify(third.values.LATCHKEY_KEY)).toBe(200);
    expect(third.values.LATCHKEY_PUBLISHABLE_KEY).toBe(first.values.LATCHKEY_PUBLISHABLE_KEY);
    expect((await third.call("api-keys/list", {})).pagination.total).toBe(3);
  });

  test("serves under any rules of the tenant, with the keys that there are, and says which one is missing and why", async () => {
    const first = await serve();
    await first.call("api-keys/policy/set", { policy: { max_lifetime_hours: 1, expiry_required: true, max_keys: 1 } });
    await first.stop();
    const ruled = await serve();
    expect(ruled.values.LATCHKEY_KEY).toBe(first.values.LATCHKEY_KEY);
    await ruled.call("api-keys/revoke", { key_id: ruled.values.LATCHKEY_KEY_ID });
    await ruled.stop();
    const without = await serve();
    expect(without.text).toMatch(/^unset LATCHKEY_KEY\nunset LATCHKEY_KEY_ID\n/m);
    expect(without.values.LATCHKEY_PUBLISHABLE_KEY).toBe(first.values.LATCHKEY_PUBLISHABLE_KEY);
    await without.call("api-keys/policy/set", { policy: {} });
    expect(await without.stop()).toMatch(/^latchkey: the key "first key" could not be made, .*expires_at/m);
    const again = await serve();
    expect(await again.verify(again.values.LATCHKEY_KEY)).toBe(200);
  });

  test("keeps the tenant, in env.sh and dev:token alike, whatever organization its user has switched to or has left", async () => {
    const first = await serve();
    await first.call("orgs/create", { name: "Another" });
    await first.stop();
    const second = await serve();
    const tokens = [second.values.LATCHKEY_TOKEN ?? "", await tokenCommand()];
    for (const token of tokens)
      expect(decodeJwt(token)).toMatchObject({ sub: "dev-user", tenant_id: "ten_dev", roles: ["owner"] });
    const [made] = (await second.call("api-keys/list", { key_prefix: second.values.LATCHKEY_KEY?.slice(0, 12) })).keys;
    expect(made.key_id).toBe(second.values.LATCHKEY_KEY_ID);
    const invited = { email: "second-user@example.com", role: "owner" };
    const { token } = await second.call("orgs/invitations/create", invited);
    const helper = { authorization: `Bearer ${await tokenCommand("--sub", "second-user")}` };
    for (const [path, body] of [
      ["invitations/accept", { token }],
      ["members/remove", { user_id: "dev-user" }],
    ] as const) {
      const { status, text } = await post(second.values.LATCHKEY_URL ?? "", `/api/v1/orgs/${path}`, body, helper);
      expect(status, text).toBe(200);
    }
    await second.stop();
    const third = await serve();
    expect((await third.call("orgs/members/list", {})).pagination.total).toBe(2);
    expect(third.values.LATCHKEY_KEY).toBe(first.values.LATCHKEY_KEY);
  });
});
