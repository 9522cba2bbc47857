// promise: clients.webhooks
import { createHmac, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import express from "express";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  receiveWebhooks,
  receiveWebhooksOnNode,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from "../../clients/typescript/src/server/index.ts";
import { ApiKeySchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import { KeyPolicySchema } from "../../gen/latchkey/v1/key_policy_service_pb.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const NOW = new Date("2026-11-27T06:00:00Z");
const ID = "evt_1";
const BODY = JSON.stringify({
  type: "api_key.revoked",
  timestamp: "2026-11-27T05:59:58.000Z",
  data: { tenant_id: "ten_1", key_id: "key_1", name: "für CI", sequence: 7 },
});

/** The headers of an attempt, by the reference library. */
function signed(body = BODY, secrets: readonly string[] = [SECRET], at = NOW): Record<string, string> {
  return {
    "webhook-id": ID,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(ID, at, body)).join(" "),
  };
}

const problemOf = (options: Partial<Parameters<typeof verifyWebhook>[0]>): Promise<unknown> =>
  verifyWebhook({ body: BODY, headers: signed(), secret: SECRET, now: NOW, ...options }).then(
    () => "verified",
    (err: unknown) => (err instanceof WebhookVerificationError ? [err.problem, err.field] : err),
  );

describe("a request that the reference library has signed", () => {
  test.each([
    ["text and Node's headers", BODY, signed()],
    ["bytes and fetch's headers", new TextEncoder().encode(BODY), new Headers(signed())],
    ["a Buffer and a list of one header", Buffer.from(BODY), { ...signed(), "webhook-id": [ID] }],
  ])("is verified: %s", async (_, body, headers) => {
    const event = await verifyWebhook({ body, headers, secret: SECRET, now: NOW });
    expect(event).toEqual({
      id: ID,
      type: "api_key.revoked",
      timestamp: new Date("2026-11-27T05:59:58.000Z"),
      data: JSON.parse(BODY).data,
    });
  });

  test("has the data of its type", async () => {
    const event = await verifyWebhook({ body: BODY, headers: signed(), secret: SECRET, now: NOW });
    const about = (one: WebhookEvent): string => {
      switch (one.type) {
        case "api_key.revoked":
          return one.data.key_id;
        case "org.member.added":
          return one.data.role;
        // @ts-expect-error: no event has this type.
        case "api_key.lost":
          return "";
        default:
          return "none";
      }
    };
    expect(about(event)).toBe("key_1");
  });

  // threat: B23
  test("costs one HMAC for each secret, however many signatures it has", async () => {
    const hmacs = (["sign", "verify"] as const).map((method) => vi.spyOn(crypto.subtle, method));
    onTestFinished(() => void vi.restoreAllMocks());
    const signatures = `${"v1,AAAA ".repeat(500)}${signed()["webhook-signature"]}`;
    const headers = { ...signed(), "webhook-signature": signatures };
    expect(await problemOf({ headers, secret: [OTHER, SECRET] })).toBe("verified");
    expect(hmacs.map(({ mock }) => mock.calls.length)).toEqual([2, 0]);
  });

  test("is verified by one of several secrets, with one of several signatures", async () => {
    for (const secrets of [[SECRET], [OTHER, SECRET], [SECRET, OTHER]])
      for (const secret of [SECRET, [OTHER, SECRET], [SECRET, OTHER]])
        expect(await problemOf({ headers: signed(BODY, secrets), secret })).toBe("verified");
    const ahead = `v1a,${"A".repeat(43)}= v2,x v1,%%% ${signed()["webhook-signature"]}`;
    expect(await problemOf({ headers: { ...signed(), "webhook-signature": ahead } })).toBe("verified");
  });

  test("is verified only within the tolerance", async () => {
    const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
    expect(await problemOf({ now: at(300) })).toBe("verified");
    expect(await problemOf({ now: at(-300) })).toBe("verified");
    expect(await problemOf({ now: at(301) })).toEqual(["timestamp_too_old", "webhook-timestamp"]);
    expect(await problemOf({ now: at(-301) })).toEqual(["timestamp_too_new", "webhook-timestamp"]);
    expect(await problemOf({ now: at(400), toleranceSeconds: 400 })).toBe("verified");
  });
});

test("what is signed as verifyWebhook expects it, the reference library verifies", () => {
  for (let n = 0; n < 50; n++) {
    const key = randomBytes(24 + n);
    const body = JSON.stringify({ n, text: "ü\u2028".repeat(n) });
    const at = Math.floor(Date.now() / 1_000);
    const headers = {
      "webhook-id": ID,
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,${createHmac("sha256", key).update(`${ID}.${at}.${body}`).digest("base64")}`,
    };
    expect(new Webhook(`whsec_${key.toString("base64")}`).verify(body, headers)).toEqual(JSON.parse(body));
  }
});

test.each([
  ["another body", { body: BODY.replace("key_1", "key_2") }, ["signature_mismatch", "webhook-signature"]],
  ["another secret", { secret: OTHER }, ["signature_mismatch", "webhook-signature"]],
  ["another id", { headers: { ...signed(), "webhook-id": "evt_2" } }, ["signature_mismatch", "webhook-signature"]],
  ["no headers", { headers: {} }, ["header_missing", "webhook-id"]],
  [
    "no signature",
    { headers: { ...signed(), "webhook-signature": undefined } },
    ["header_missing", "webhook-signature"],
  ],
  [
    "another scheme",
    { headers: { ...signed(), "webhook-signature": "v2,AAAA" } },
    ["header_malformed", "webhook-signature"],
  ],
  ["an empty one", { headers: { ...signed(), "webhook-signature": "v1," } }, ["header_malformed", "webhook-signature"]],
  [
    "more than 4,096 characters of signatures",
    { headers: { ...signed(), "webhook-signature": "v1,AAAA ".repeat(513) } },
    ["header_malformed", "webhook-signature"],
  ],
  [
    "a short one",
    { headers: { ...signed(), "webhook-signature": "v1,AAAA" } },
    ["signature_mismatch", "webhook-signature"],
  ],
  [
    "a time that is not a number",
    { headers: { ...signed(), "webhook-timestamp": "soon" } },
    ["header_malformed", "webhook-timestamp"],
  ],
  ["no JSON", { body: "{", headers: signed("{") }, ["body_malformed", "body"]],
  ["a list", { body: "[]", headers: signed("[]") }, ["body_malformed", "body"]],
  ["no type", { body: '{"data":{}}', headers: signed('{"data":{}}') }, ["body_malformed", "body"]],
])("a request with %s is rejected, and the error says what is wrong", async (_, options, expected) => {
  expect(await problemOf(options)).toEqual(expected);
});

test.each([
  ["a parsed body", { body: JSON.parse(BODY) }, "body: must be the raw body"],
  ["no secret", { secret: [] }, "secret: is missing"],
  ["an empty secret", { secret: "" }, "secret: is not a webhook's secret"],
  ["a short secret", { secret: "whsec_AAAA" }, "secret: is not a webhook's secret"],
  ["a tolerance below 0", { toleranceSeconds: -1 }, "toleranceSeconds: must be 0 or more"],
])("%s is a TypeError that does not show the secret", async (_, options, message) => {
  const err = await problemOf(options);
  expect(err).toBeInstanceOf(TypeError);
  expect(String(err)).toContain(message);
  expect(String(err)).not.toContain("AAAA");
});

test("the types have each member of a key and of the policy", async () => {
  const source = await readFile(
    new URL("../../clients/typescript/src/server/webhook-events.ts", import.meta.url),
    "utf8",
  );
  const members = (name: string) =>
    [
      ...(new RegExp(`^export interface ${name} .*\\{\\n([\\s\\S]*?)^\\}`, "m").exec(source)?.[1] ?? "").matchAll(
        /^ {2}readonly (\w+)/gm,
      ),
    ].map(([, member]) => member);
  for (const [name, { fields }] of [
    ["ApiKeyData", ApiKeySchema],
    ["KeyPolicyData", KeyPolicySchema],
  ] as const) {
    const names = fields.map(({ jsonName }) => jsonName).filter((member) => member !== "tenant_id");
    expect(members(name).toSorted()).toEqual(names.toSorted());
  }
});

describe("a receiver", () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await closeAll(server);
  });
  const received: WebhookEvent[] = [];
  const keep = (event: WebhookEvent): void => {
    received.push(event);
    if (event.id === ID && event.type === "run.failed") throw new Error("the database is away");
  };
  const options = { secret: SECRET };

  async function urlOf(listener: Parameters<typeof createServer>[1]): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    return `http://127.0.0.1:${await listenOnLoopback(server)}/webhooks`;
  }

  const FRAMEWORKS: Record<string, () => Promise<(request: Request) => Promise<Response>>> = {
    "a route handler of Next.js": async () => receiveWebhooks(options, keep),
    Hono: async () => {
      const app = new Hono();
      const receive = receiveWebhooks(options, keep);
      app.post("/webhooks", (c) => receive(c.req.raw));
      return async (request) => app.fetch(request);
    },
    Express: async () => {
      const app = express();
      app.post("/webhooks", receiveWebhooksOnNode(options, keep));
      const url = await urlOf(app);
      return (request) => fetch(new Request(url, request));
    },
    "Express behind express.raw()": async () => {
      const app = express();
      app.post("/webhooks", express.raw({ type: "*/*" }), receiveWebhooksOnNode(options, keep));
      const url = await urlOf(app);
      return (request) => fetch(new Request(url, request));
    },
  };

  test.each(Object.entries(FRAMEWORKS))("in %s answers 204, 400, 413, or what its framework does", async (_, start) => {
    received.length = 0;
    const receive = await start();
    const post = (body: string, headers: Record<string, string>) =>
      receive(new Request("http://localhost/webhooks", { method: "POST", body, headers }));
    const at = new Date();
    const accepted = await post(BODY, signed(BODY, [SECRET], at));
    expect([accepted.status, await accepted.text()]).toEqual([204, ""]);
    expect(received).toMatchObject([{ id: ID, data: { key_id: "key_1", name: "für CI" } }]);
    const forged = await post(BODY, signed(BODY, [OTHER], at));
    expect([forged.status, await forged.json()]).toEqual([
      400,
      { code: "invalid_argument", message: "webhook-signature: no signature is of this secret and body" },
    ]);
    const long = "x".repeat(200_000);
    expect((await post(long, signed(long, [SECRET], at))).status).toBe(413);
    expect(received.length).toBe(1);
  });

  test("leaves what its callback throws to the framework, which answers no 2xx", async () => {
    const failing = BODY.replace("api_key.revoked", "run.failed");
    const request = () =>
      new Request("http://localhost/webhooks", {
        method: "POST",
        body: failing,
        headers: signed(failing, [SECRET], new Date()),
      });
    await expect(receiveWebhooks(options, keep)(request())).rejects.toThrow("the database is away");
    const app = express();
    app.post("/webhooks", receiveWebhooksOnNode(options, keep));
    app.use(
      (_err: unknown, _req: unknown, res: express.Response, _next: unknown) => void res.status(500).end("failed"),
    );
    const response = await fetch(new Request(await urlOf(app), request()));
    expect([response.status, await response.text()]).toEqual([500, "failed"]);
  });

  test("behind express.json() says what to do", async () => {
    const app = express();
    app.use(express.json());
    app.post("/webhooks", receiveWebhooksOnNode(options, keep));
    app.use(
      (err: Error, _req: unknown, res: express.Response, _next: unknown) => void res.status(500).end(err.message),
    );
    const headers = { ...signed(BODY, [SECRET], new Date()), "content-type": "application/json" };
    const response = await fetch(await urlOf(app), { method: "POST", body: BODY, headers });
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("before express.json()")]);
  });
});
