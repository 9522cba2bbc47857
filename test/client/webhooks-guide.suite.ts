import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import { accepting } from "../proxies/proxy.ts";
import { freePort } from "../servers/free-port.ts";
import { newTenant, openWebhookService } from "../webhooks/service.ts";

const GUIDE = new URL("../../docs/guides/webhooks.md", import.meta.url);

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/** The program of the guide in a language, as a reader copies it. */
export async function guideProgram(language: string): Promise<string> {
  const found = [...(await readFile(GUIDE, "utf8")).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))];
  expect(found, language).toHaveLength(1);
  return found[0]?.[1] ?? "";
}

/** Runs a receiver of the guide: it takes what the service sends, each event once, and nothing else. */
export async function expectReceiver({ command, args, cwd, env }: Program): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/webhooks`;
  const service = await openWebhookService([{ host: `127.0.0.1:${port}` }]);
  let receiver: ChildProcess | undefined;
  let printed = "";
  try {
    const tenant = newTenant();
    const call = (path: string, body: unknown) => service.call(tenant, `/api/v1/${path}`, body);
    const { webhookId: webhook_id, secret } = await service.addWebhook(tenant, { url });
    receiver = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env, LATCHKEY_WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    receiver.stdout?.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
    await accepting(port);
    const lines = () => printed.split("\n").filter((line) => line !== "");
    const createKey = async () =>
      (await call("api-keys/create", { name: "für CI", permissions: ["plans:read"] })).result.key_id;

    expect((await call("webhooks/test", { webhook_id })).result).toMatchObject({ delivered: true, status: 204 });
    const key_id = await createKey();
    await expect.poll(lines).toContain(`new api_key.created ${key_id}`);
    await call("api-keys/revoke", { key_id });
    const expected = ["other webhook.test", `new api_key.created ${key_id}`, `new api_key.revoked ${key_id}`];
    await expect.poll(lines).toEqual(expected);

    const deliveredSince = async (since: Date) =>
      (await call("webhooks/deliveries/list", {})).deliveries.filter(
        (each: { status: string; last_attempt_at: string }) =>
          each.status === "WEBHOOK_DELIVERY_STATUS_DELIVERED" && new Date(each.last_attempt_at) >= since,
      ).length;
    // The receiver has an event before the service has stored its answer. Until then nothing is sent again.
    await expect.poll(() => deliveredSince(new Date(0))).toBe(2);

    // Again: each is delivered, and does nothing.
    const since = new Date();
    await call("webhooks/deliveries/redeliver", { webhook_id, since: "2026-01-01T00:00:00Z" });
    await expect.poll(() => deliveredSince(since)).toBe(2);
    expect(lines()).toEqual(expected);

    // The receiver still has the secret from before.
    await call("webhooks/rotate-secret", { webhook_id });
    const other = await createKey();
    await expect.poll(lines).toEqual([...expected, `new api_key.created ${other}`]);

    const late = eventOf("api_key.created", { tenant_id: tenant, key_id, sequence: 0 });
    expect(await post(url, late, secret, new Date())).toBe(204);
    await expect.poll(lines).toContain(`late api_key.created ${key_id}`);
    for (const [body, by, at] of [
      [late, `whsec_${Buffer.alloc(32, 1).toString("base64")}`, new Date()],
      [late, secret, new Date(Date.now() - 400_000)],
    ] as const)
      expect(await post(url, body, by, at)).toBe(400);
    expect(lines()).toHaveLength(5);
  } finally {
    if (receiver !== undefined && receiver.exitCode === null) {
      receiver.kill("SIGKILL");
      await once(receiver, "exit");
    }
    await service.close();
  }
}

function eventOf(type: string, data: object): string {
  return JSON.stringify({ type, timestamp: new Date().toISOString(), data });
}

/** Posts an event that the reference library has signed. Returns the status. */
async function post(url: string, body: string, secret: string, at: Date): Promise<number> {
  const headers = {
    "webhook-id": `evt_${at.getTime()}`,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(`evt_${at.getTime()}`, at, body),
  };
  return (await fetch(url, { method: "POST", body, headers })).status;
}
