import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { LATCHKEY, latchkey, succeed } from "./command-line.ts";
import { type CommandTarget, startTarget } from "./services.ts";

const ENDPOINT = "https://hooks.invalid/latchkey";
let target: CommandTarget;
beforeAll(async () => {
  target = await startTarget("the embedded store");
});
afterAll(() => target.close());

test("an endpoint is added, with only its secret on stdout, then shown, changed, rotated and deleted", async () => {
  const env = await target.user();
  const created = await succeed(["webhooks", "create", ENDPOINT, "--event", "api_key.revoked,run.failed"], { env });
  expect(created.stdout).toMatch(/^whsec_[\w+/]{43}=\n$/);
  expect(created.stderr).not.toContain("whsec_");
  const [, id = ""] = /^webhook_id +(whk_\w+)$/m.exec(created.stderr) ?? [];
  expect((await succeed(["webhooks", "list"], { env })).stdout).toMatch(
    new RegExp(`${id} +${ENDPOINT} +api_key.revoked,run.failed +enabled`),
  );
  const update = ["webhooks", "update", id, "--event", "*", "--status", "disabled", "--endpoint", `${ENDPOINT}/2`];
  const updated = (await succeed(update, { env })).stdout;
  expect(updated).toMatch(/^url +https:\/\/hooks\.invalid\/latchkey\/2$/m);
  expect(updated).toMatch(/^status +disabled$/m);
  expect(updated).toMatch(/^disabled_reason +requested$/m);
  const rotated = await succeed(["webhooks", "rotate-secret", id], { env });
  expect(rotated.stdout).toMatch(/^whsec_/);
  expect(rotated.stdout).not.toBe(created.stdout);
  expect((await succeed(["webhooks", "get", id], { env })).stdout).toMatch(/^previous_secret_until +\S+$/m);
  expect((await succeed(["webhooks", "delete", id], { env })).stdout).toBe(`Deleted ${id}.\n`);
  const gone = await latchkey(["webhooks", "get", id], { env });
  expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining("no such webhook")]);
});

test("a test that is not delivered says why, and ends with 1", async () => {
  const env = await target.user();
  const { webhook_id } = (await succeed(["webhooks", "create", ENDPOINT, "--json"], { env })).json().result;
  const tested = await latchkey(["webhooks", "test", webhook_id], { env });
  expect(tested.status).toBe(1);
  expect(tested.stdout).toMatch(/^delivered +no$/m);
  expect(tested.stdout).toMatch(/^error +\w/m);
});

test("deliveries are listed, and events sent again", async () => {
  const env = await target.user();
  const { webhook_id } = (await succeed(["webhooks", "create", ENDPOINT, "--json"], { env })).json().result;
  await succeed(["keys", "create", "--name", "a", "--scope", "plans:read"], { env });
  const list = ["webhooks", "deliveries", "--webhook", webhook_id, "--event", "api_key.created"];
  await eventually(async () => {
    expect((await succeed(list, { env })).stdout).toMatch(/api_key\.created +pending/);
  });
  const { deliveries } = (await succeed([...list, "--json"], { env })).json();
  expect(JSON.parse(deliveries[0].body).type).toBe("api_key.created");
  const since = ["webhooks", "redeliver", "--webhook", webhook_id, "--from", "1h"];
  expect((await succeed(since, { env })).stdout).toMatch(/^Sending \d+ again\.$/m);
  const one = ["webhooks", "redeliver", "--event-id", deliveries[0].event_id, "--json"];
  expect((await succeed(one, { env })).json()).toEqual({ redelivered: expect.any(Number) });
});

test("what cannot be meant is refused before anything is sent", async () => {
  const env = await target.user();
  for (const [args, says] of [
    [["update", "whk_x"], "nothing to change"],
    [["update", "whk_x", "--status", "off"], "Allowed choices are enabled, disabled"],
    [["deliveries", "--event", "run.failed,run.completed"], "takes one type"],
    [["listen"], "set LATCHKEY_WEBHOOK_SECRET"],
  ] as const) {
    const { status, stderr } = await latchkey(["webhooks", ...args], { env });
    expect([status, stderr]).toEqual([2, expect.stringContaining(says)]);
  }
  const wrong = await latchkey(["webhooks", "listen"], { env: { LATCHKEY_WEBHOOK_SECRET: "hunter2-hunter2" } });
  expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining("LATCHKEY_WEBHOOK_SECRET is not a")]);
  expect(wrong.stderr).not.toContain("hunter2");
});

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

describe("listen", () => {
  /** Runs it on any port, until the test ends. */
  async function listening(...args: string[]) {
    const child = spawn(process.execPath, [LATCHKEY, "webhooks", "listen", "--port", "0", ...args], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, LATCHKEY_WEBHOOK_SECRET: SECRET },
    });
    const printed = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].on("data", (chunk) => {
        printed[name] += chunk;
      });
    }
    onTestFinished(() => void child.kill());
    await eventually(async () => expect(printed.stderr).toMatch(/Listening on (\S+)/));
    const [, url = ""] = /Listening on (\S+)/.exec(printed.stderr) ?? [];
    return { url, printed, child };
  }

  async function send(url: string, body: string, secret = SECRET): Promise<number> {
    const now = new Date();
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret).sign("evt_1", now, body),
    };
    return (await fetch(url, { method: "POST", headers, body })).status;
  }

  const BODY = '{"type":"api_key.revoked","timestamp":"2026-01-31T12:00:00Z","data":{"name":"a\\u001b[31m"}}';

  test("prints what is signed with the secret, without controls, and ends when it is interrupted", async () => {
    const { url, printed, child } = await listening();
    expect(await send(url, BODY)).toBe(204);
    await eventually(async () => expect(printed.stdout).toContain('"type": "api_key.revoked"'));
    expect(printed.stdout).toMatch(/^evt_1$/m);
    expect(printed.stdout).not.toContain("\u001b");
    child.kill("SIGINT");
    const [status] = await once(child, "close");
    expect(status).toBe(0);
  });

  test("rejects what is not, and says so", async () => {
    const { url, printed } = await listening();
    expect(await send(url, BODY, `whsec_${"A".repeat(43)}=`)).toBe(400);
    expect(await send(url, "no json")).toBe(400);
    expect(await send(url, `"${"x".repeat(70_000)}"`)).toBe(400);
    expect((await fetch(url)).status).toBe(400);
    await eventually(async () => expect(printed.stderr.match(/^Rejected /gm)).toHaveLength(4));
    expect(printed.stdout).toBe("");
  });

  test("with --json prints an event a line", async () => {
    const { url, printed } = await listening("--json");
    await send(url, BODY);
    await send(url, BODY);
    await eventually(async () => expect(printed.stdout.trim().split("\n")).toHaveLength(2));
    const [line = ""] = printed.stdout.split("\n");
    expect(JSON.parse(line)).toEqual({ webhook_id: "evt_1", event: JSON.parse(BODY) });
  });
});
