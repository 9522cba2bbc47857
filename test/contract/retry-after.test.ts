// promise: errors.retry-after
import { type Client, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { beforeAll, describe, expect, test } from "vitest";
import { createLatchkeyClient } from "../../clients/typescript/src/index.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { type Answer, toAnswer } from "../harness/http.ts";
import { type ClientApp, type PublishableService, reasonOf, sharedPublishable } from "../harness/publishable.ts";
import { SECOND } from "../harness/test-clock.ts";

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

/** An app whose users' provider answers 500 until it is repaired. */
async function appWithoutProvider(): Promise<ClientApp & { repair(): void }> {
  const app = await service.newApp();
  const { document } = app;
  const { respond } = document;
  document.respond = (_req, res) => res.writeHead(500).end();
  const repair = (): void => {
    document.respond = respond;
  };
  return { ...app, repair };
}

const retryAfter = ({ headers }: Pick<Answer, "headers">): string | null => headers.get("retry-after");
const advance = (ms: number): void => service.latchkey.clock.advance(ms);

describe("Retry-After of a verifier_error", () => {
  test("is the time until the provider is called again: a retry before it fails, and one after it succeeds", async () => {
    service.latchkey.clock.stand();
    const app = await appWithoutProvider();
    expect(retryAfter(await app.verify())).toBe("5");
    app.repair();
    advance(3.5 * SECOND);
    const early = await app.verify();
    expect(reasonOf(early)).toBe("verifier_error");
    expect(retryAfter(early)).toBe("2");
    advance(2 * SECOND);
    expect(reasonOf(await app.verify())).toBe("admitted");
  });

  test("respects the limit of two fetches in 30 s", async () => {
    service.latchkey.clock.stand();
    const app = await appWithoutProvider();
    await app.verify();
    advance(5 * SECOND);
    const second = await app.verify();
    expect(retryAfter(second)).toBe("25");
    expect(app.document.requests).toBe(2);
    app.repair();
    advance(24 * SECOND);
    expect(retryAfter(await app.verify())).toBe("1");
    advance(SECOND);
    expect(reasonOf(await app.verify())).toBe("admitted");
  });

  test("is the same on /auth/check", async () => {
    service.latchkey.clock.stand();
    const app = await appWithoutProvider();
    const check = await fetch(`${service.latchkey.url}/auth/check`, { headers: app.headers() });
    expect(retryAfter(await toAnswer(check))).toBe("5");
  });

  test.each<[string, (baseUrl: string) => Transport]>([
    ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
    [
      "Connect with a time limit",
      (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2", defaultTimeoutMs: 9_000 }),
    ],
    ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
    ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ])("is in the error's metadata over %s", async (_name, make) => {
    service.latchkey.clock.stand();
    const app = await appWithoutProvider();
    const auth: Client<typeof AuthService> = createClient(AuthService, make(service.latchkey.url));
    const err = await auth.verify({}, { headers: app.headers() }).then(() => undefined, ConnectError.from);
    expect(err?.metadata.get("retry-after")).toBe("5");
  });

  test("is the time that the TypeScript client waits before it retries", async () => {
    service.latchkey.clock.stand();
    const app = await appWithoutProvider();
    const pauses: number[] = [];
    const sleep = async (ms: number): Promise<void> => {
      pauses.push(ms);
      advance(ms);
      app.repair();
    };
    const client = createLatchkeyClient({
      baseUrl: service.latchkey.url,
      apiKey: app.keyHeader["x-api-key"],
      getUserToken: () => app.token(),
      retry: { sleep },
    });
    expect((await client.auth.verify({})).caller).toBeDefined();
    expect(pauses).toEqual([5 * SECOND]);
    expect(app.document.requests).toBe(2);
  });
});

describe("Retry-After is not on", () => {
  test("a fault that a retry cannot help: a publishable key without its configuration", async () => {
    const { latchkey } = service;
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { keyType: "KEY_TYPE_PUBLISHABLE" });
    const answer = await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });
    expect(reasonOf(answer)).toBe("misconfigured_publishable_key");
    expect(retryAfter(answer)).toBeNull();
  });

  test("a success, nor on a caller's error", async () => {
    const app = await service.newApp();
    expect(retryAfter(await app.verify())).toBeNull();
    expect(retryAfter(await app.verify("not-a-token"))).toBeNull();
  });
});
