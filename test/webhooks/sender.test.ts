// promise: webhooks.url, webhooks.rotation, delivery.bounds
import { randomBytes } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import type { WebhookRequest } from "../../src/domain/webhooks/sender.ts";
import { createWebhookSender, type WebhookSenderOptions } from "../../src/store/webhooks/sender.ts";
import { startCanary } from "../jwks/provider.ts";
import { startReceiver, verified } from "./receiver.ts";

function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

const BODY = JSON.stringify({ type: "api_key.revoked", data: { name: "für CI" } });

function message(url: string, more: Partial<WebhookRequest> = {}): WebhookRequest {
  return { tenantId: "ten_1", url, eventId: "evt_1", body: BODY, secrets: [newSecret()], ...more };
}

function startSender(options: Partial<WebhookSenderOptions> = {}) {
  const sender = createWebhookSender({ clock: () => new Date(), allowedHosts: [], ...options });
  onTestFinished(sender.close);
  return sender;
}

describe("an event", () => {
  test("is sent byte for byte, with a signature that the reference library takes", async () => {
    const receiver = await startReceiver();
    const sender = startSender({ allowedHosts: [receiver.host] });
    const secret = newSecret();
    const answer = await sender.send(message(receiver.url, { secrets: [secret] }));
    expect(answer).toMatchObject({ status: 204, answer: "", error: null });
    const [received] = receiver.received;
    if (received === undefined) throw new Error("nothing was received");
    expect(received.body).toBe(BODY);
    expect(received.headers).toMatchObject({ "webhook-id": "evt_1", "content-type": "application/json" });
    expect(verified(secret, received)).toEqual(JSON.parse(BODY));
    expect(() => verified(newSecret(), received)).toThrow();
  });

  test("is signed with both secrets", async () => {
    const receiver = await startReceiver();
    const sender = startSender({ allowedHosts: [receiver.host] });
    const secrets = [newSecret(), newSecret()];
    await sender.send(message(receiver.url, { secrets }));
    for (const received of receiver.received) for (const secret of secrets) verified(secret, received);
    expect(receiver.received).toHaveLength(1);
  });

  test("of more than 64 KiB is not sent", async () => {
    const receiver = await startReceiver();
    const sender = startSender({ allowedHosts: [receiver.host] });
    const fits = await sender.send(message(receiver.url, { body: "x".repeat(65_536) }));
    expect(fits.error).toBeNull();
    const tooLong = await sender.send(message(receiver.url, { body: "x".repeat(65_537) }));
    expect(tooLong).toMatchObject({ status: null, error: expect.stringContaining("65536 bytes") });
    expect(receiver.received).toHaveLength(1);
  });
});

describe("an answer", () => {
  // threat: F4
  test.each([301, 302, 307, 308])("with a redirect (%i) is not followed", async (status) => {
    const receiver = await startReceiver();
    receiver.respond = (_req, res) => void res.writeHead(status, { location: receiver.url }).end();
    const sender = startSender({ allowedHosts: [receiver.host] });
    const answer = await sender.send(message(receiver.url));
    expect(answer).toMatchObject({ status, error: null });
    expect(receiver.received).toHaveLength(1);
  });

  test.each([400, 404, 410, 500, 503])("with the status %i is one", async (status) => {
    const receiver = await startReceiver();
    receiver.respond = (_req, res) => void res.writeHead(status).end("no");
    const sender = startSender({ allowedHosts: [receiver.host] });
    const answer = await sender.send(message(receiver.url));
    expect(answer).toMatchObject({ status, answer: "no", error: null });
  });

  test("is kept up to 1 KiB, without what a database cannot store", async () => {
    const receiver = await startReceiver();
    receiver.respond = (_req, res) => void res.end(`\0${"a".repeat(5_000)}`);
    const sender = startSender({ allowedHosts: [receiver.host] });
    const answer = await sender.send(message(receiver.url));
    expect(answer).toMatchObject({ status: 200, answer: `\u{FFFD}${"a".repeat(1_023)}`, error: null });
  });

  test("without an end is cut off", async () => {
    const receiver = await startReceiver();
    receiver.respond = (_req, res) => {
      const timer = setInterval(() => res.write("a".repeat(2_000)), 1);
      res.on("close", () => clearInterval(timer));
    };
    const sender = startSender({ allowedHosts: [receiver.host] });
    const answer = await sender.send(message(receiver.url));
    expect(answer).toMatchObject({ status: 200, answer: "a".repeat(1_024), error: null });
  });

  test("that does not come in time is reported as an error", async () => {
    const receiver = await startReceiver();
    receiver.respond = () => {};
    const sender = startSender({ allowedHosts: [receiver.host], timeoutMs: 200 });
    const answer = await sender.send(message(receiver.url));
    expect(answer).toMatchObject({ status: null, error: "no answer came within 0.2 s" });
  });
});

describe("a tenant's URL", () => {
  // threat: F1
  test("reaches no listener on loopback, however it is spelled", async () => {
    const canary = await startCanary();
    const sender = startSender({ allowedHosts: [`localhost:${canary.port}`] });
    for (const host of ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "0x7f.1", "a.localhost"]) {
      for (const url of [`http://${host}:${canary.port}/`, `https://${host}:${canary.port}/`, `https://${host}/`]) {
        expect((await sender.send(message(url))).error).not.toBeNull();
      }
    }
    expect(canary.connections).toBe(0);
  });

  // threat: F2
  test.each([[["10.0.0.1"]], [["169.254.169.254"]], [["::1"]], [["93.184.215.14", "127.0.0.1"]], [[]]])(
    "whose name resolves to %j is not connected to",
    async (ips) => {
      const sender = startSender({ resolve: async () => ips });
      const answer = await sender.send(message("https://hooks.example/"));
      expect(answer).toMatchObject({ status: null, error: "the host has no address, or one that is not public" });
    },
  );

  // threat: F3
  test("is resolved once for an attempt: a second answer cannot be private", async () => {
    let resolutions = 0;
    const sender = startSender({
      timeoutMs: 200,
      resolve: async () => {
        resolutions += 1;
        return resolutions === 1 ? ["192.0.2.1"] : ["127.0.0.1"];
      },
    });
    const answer = await sender.send(message("https://hooks.example/"));
    expect(answer.status).toBeNull();
    expect(resolutions).toBe(1);
  });

  test("has 64 attempts under way at most", async () => {
    const receiver = await startReceiver();
    receiver.respond = () => {};
    const sender = startSender({ allowedHosts: [receiver.host] });
    const hanging = Array.from({ length: 64 }, () => sender.send(message(receiver.url)));
    await expect.poll(() => receiver.received.length).toBe(64);
    const refused = await sender.send(message(receiver.url));
    expect(refused).toMatchObject({ status: null, error: expect.stringContaining("too many requests") });
    receiver.respond = (_req, res) => void res.end();
    expect((await sender.send(message(receiver.url, { tenantId: "ten_2" }))).status).toBe(200);
    await sender.close();
    await Promise.all(hanging);
  });
});
