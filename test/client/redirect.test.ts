import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Code, createLatchkeyClient } from "../../clients/typescript/src/index.ts";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { redirector } from "./redirector.ts";

const CALLER = { caller: "CALLER_SECRET_KEY", tenant_id: "ten_1", key_id: "key_1" };

/** The target of redirects: a server whose answers would be accepted. */
let followed = 0;
const target = createServer((_req, res) => {
  followed += 1;
  res.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(CALLER));
});
let targetUrl: string;

beforeAll(async () => {
  targetUrl = `http://127.0.0.1:${await listenOnLoopback(target)}`;
});

beforeEach(() => {
  followed = 0;
});

afterAll(() => closeAll(target));

describe.each([301, 302, 303, 307, 308])("a redirect with %i", (status) => {
  let source: Awaited<ReturnType<typeof redirector>>;

  beforeAll(async () => {
    source = await redirector(status, `${targetUrl}/login?ticket=t1`);
  });

  afterAll(() => source.close());

  test("is an error of the client that names the target, and nothing is sent there or again", async () => {
    const { auth } = createLatchkeyClient({ baseUrl: source.url, apiKey: "sk_x" });
    await expect(auth.verify({})).rejects.toMatchObject({
      code: Code.Unknown,
      rawMessage: expect.stringContaining(`answered with a redirect (${status} to ${targetUrl}); none is followed`),
    });
    expect([source.received(), followed]).toEqual([1, 0]);
  });

  test("makes a guard answer 503, and nothing is sent there", async () => {
    const errors: unknown[] = [];
    const guard = createGuard({ baseUrl: source.url, onError: (err) => void errors.push(err) });
    const answer = await guard.fetch("plans:read", () => new Response("handled"))(new Request("http://upstream"));
    expect(answer.status).toBe(503);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining(`(${status} to ${targetUrl})`) }),
    ]);
    expect(followed).toBe(0);
  });
});

test("an answer after a redirect that the given fetch followed is rejected", async () => {
  const source = await redirector(307, targetUrl);
  const following: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "follow" });
  const options = { baseUrl: source.url, fetch: following };
  const { auth } = createLatchkeyClient({ ...options, apiKey: "sk_x" });
  await expect(auth.verify({})).rejects.toMatchObject({
    code: Code.Unknown,
    message: expect.stringContaining("the given fetch followed"),
  });
  const answer = await createGuard(options).fetch([], () => new Response("handled"))(new Request("http://upstream"));
  expect(answer.status).toBe(503);
  await source.close();
});
