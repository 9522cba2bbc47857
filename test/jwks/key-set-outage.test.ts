// promise: key-sets.outage, key-sets.fetches
import type { RequestListener } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { waitedMs } from "../harness/waited.ts";
import { signToken, startKeyServer, startProvider, startVerifier } from "./provider.ts";
import { CLAIMS, KEY, NEXT, NEXT_TOKEN, TOKEN, unknown } from "./tokens.ts";

const MINUTE_MS = 60_000;

describe("a provider that fails", () => {
  const answers: [string, string | Buffer][] = [
    ["HTML", "<html></html>"],
    ["nothing", ""],
    ["a list", "[]"],
    ["null", "null"],
    ["no keys", "{}"],
    ["keys that are an object", '{"keys":{}}'],
    ["keys that are text", '{"keys":"x"}'],
    ["half a document", '{"keys":[{"kty":"EC"'],
    ["broken UTF-8", Buffer.from('{"keys":["\xff"]}', "latin1")],
  ];

  // threat: F10
  test.each(answers)("an answer of %s is an error of the provider, not of the token", async (_name, body) => {
    const { checkToken, server } = await startProvider();
    server.respond = (_req, res) => res.end(body);
    expect(await checkToken(TOKEN)).toBe("verifier_error");
  });

  test.each(['{"keys":[]}', '{"keys":[null]}', '{"keys":[{}]}'])("%s is a set that verifies nothing", async (body) => {
    const { checkToken, server } = await startProvider();
    server.respond = (_req, res) => res.end(body);
    expect(await checkToken(TOKEN)).toBe("jwt_invalid_signature");
  });

  test.each([201, 204, 404, 500, 503])("status %i is an error of the provider", async (status) => {
    const { checkToken, server } = await startProvider();
    server.respond = (_req, res) =>
      res.writeHead(status).end(status === 204 ? "" : JSON.stringify({ keys: [KEY.jwk] }));
    expect(await checkToken(TOKEN)).toBe("verifier_error");
  });

  test("is not called again within 5 s, and is within the next 5 s", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    server.respond = (_req, res) => res.writeHead(500).end();
    for (let index = 0; index < 20; index++) expect(await checkToken(TOKEN)).toBe("verifier_error");
    expect(server.requests).toBe(1);
    advance(4_999);
    expect(await checkToken(TOKEN)).toBe("verifier_error");
    expect(server.requests).toBe(1);
    server.publish(KEY.jwk);
    advance(1);
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    expect(server.requests).toBe(2);
  });

  test("and never answers is called at most twice in any 30 s", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    server.respond = (_req, res) => res.writeHead(500).end();
    const askedAfter: number[] = [];
    for (let second = 0; second <= 66; second++) {
      const before = server.requests;
      expect(await checkToken(TOKEN)).toBe("verifier_error");
      if (server.requests > before) askedAfter.push(second);
      advance(1_000);
    }
    expect(askedAfter).toEqual([0, 5, 30, 35, 60, 65]);
  });

  // threat: F7
  test("is down at first use: an error at once, and another after the pause", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    await server.stop();
    expect(await waitedMs(expect(checkToken(TOKEN)).resolves.toBe("verifier_error"))).toBeLessThan(1_000);
    advance(5_000);
    expect(await checkToken(TOKEN)).toBe("verifier_error");
  });

  test("is reported once, with a short reason, and once when it is back", async () => {
    const { checkToken, server, advance, problems } = await startProvider(KEY);
    await checkToken(TOKEN);
    expect(problems).toEqual([]);
    server.respond = (_req, res) => res.writeHead(503).end();
    for (let minute = 0; minute < 12; minute++) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => checkToken(unknown(minute * 20 + index))));
      advance(MINUTE_MS);
    }
    expect(problems).toEqual(["the answer has the status 503"]);
    server.publish(KEY.jwk);
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    expect(problems).toEqual(["the answer has the status 503", undefined]);
  });

  const reasons: [string, RequestListener][] = [
    ["the answer has the status 404", (_req, res) => res.writeHead(404).end("x")],
    [
      "the answer is a redirect (302), which is not followed",
      (_req, res) => res.writeHead(302, { location: "/" }).end(),
    ],
    ["the answer has more than 524288 bytes", (_req, res) => res.end(" ".repeat(524_289))],
    ["the answer is not a JWK set", (_req, res) => res.end("<html></html>")],
    ["the answer is not a JWK set", (_req, res) => res.end("[]")],
    [
      "the answer has more than 60000 of the characters { [ : , outside of strings",
      (_req, res) => res.end(`{"keys":[${"{},".repeat(30_000)}{}]}`),
    ],
    ["the answer is not UTF-8", (_req, res) => res.end(Buffer.from([0xff]))],
    ["the connection is refused or breaks off", (_req, res) => res.destroy()],
    ["the host does not answer in time", () => {}],
  ];

  test.each(reasons)("is reported as one of a few reasons: %s", async (problem, respond) => {
    const server = await startKeyServer();
    server.respond = respond;
    const { checkToken, problems, verifier, advance } = startVerifier({
      allowed: [server.host],
      fetch: { timeoutMs: 500 },
    });
    const source = { jwksUrl: server.url, jwksOwner: { kind: "tenant", tenantId: "ten_1" } } as const;
    expect(await checkToken(TOKEN, source)).toBe("verifier_error");
    expect(problems).toEqual([problem]);
    expect(await verifier.inspectKeySet(source)).toEqual({ problem, inUse: undefined });
    expect(server.requests).toBe(1);
    server.publish(KEY.jwk);
    advance(5_000);
    expect(await verifier.inspectKeySet(source)).toMatchObject({ problem: undefined, inUse: { keyCount: 1 } });
    expect(await checkToken(TOKEN, source)).toEqual(CLAIMS);
    expect(server.requests).toBe(2);
  });

  test("whose host does not resolve, or is not public, is reported as such without a connection", async () => {
    const { checkToken, problems } = startVerifier({ fetch: { resolve: async () => ["10.0.0.1"] } });
    expect(await checkToken(TOKEN, { jwksUrl: "https://internal.example/" })).toBe("verifier_error");
    expect(await checkToken(TOKEN, { jwksUrl: "http://idp.example/" })).toBe("verifier_error");
    expect(await checkToken(TOKEN, { jwksUrl: "http://127.0.0.1:1/", jwksOwner: { kind: "operator" } })).toBe(
      "verifier_error",
    );
    expect(problems).toEqual([
      "the host has no address, or one that is not public",
      "the URL must be an absolute https URL, unless the operator of this service allows its host and port in JWKS_ALLOWED_HOSTS",
      "the connection is refused or breaks off",
    ]);
  });

  // threat: F8
  test("goes down: its keys are used for 10 minutes after their fetch, and no forged token passes", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    const forged = signToken(NEXT, CLAIMS, { alg: "ES256", kid: "first" });
    await checkToken(TOKEN);
    await server.stop();
    for (let ms = 0; ms < 10 * MINUTE_MS; ms += MINUTE_MS) {
      expect(await checkToken(TOKEN)).toEqual(CLAIMS);
      expect(await checkToken(forged)).toBe("jwt_invalid_signature");
      advance(MINUTE_MS);
    }
    expect(await checkToken(TOKEN)).toBe("verifier_error");
    expect(await checkToken(forged)).toBe("verifier_error");
  });

  test("goes down, and our clock is set back: its keys are not used any longer for that", async () => {
    const { checkToken, server, advance, setBack } = await startProvider(KEY);
    await checkToken(TOKEN);
    await server.stop();
    advance(10 * MINUTE_MS - 1);
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    setBack(9 * MINUTE_MS);
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    advance(1);
    expect(await checkToken(TOKEN)).toBe("verifier_error");
  });

  test("may have new keys that we cannot fetch: an unknown key id is then no fault of the token", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    await checkToken(TOKEN);
    server.respond = (_req, res) => res.writeHead(503).end();
    expect(await checkToken(NEXT_TOKEN)).toBe("verifier_error");
    expect(await checkToken(NEXT_TOKEN)).toBe("verifier_error");
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    expect(server.requests).toBe(2);
    server.publish(KEY.jwk, NEXT.jwk);
    advance(30_000);
    expect(await checkToken(NEXT_TOKEN)).toEqual(CLAIMS);
  });

  // threat: F7
  test("hangs: its callers wait 5 s at most, and others not at all", async () => {
    const timeout = AbortSignal.timeout;
    // A tenth of each limit.
    const limits = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeout(ms / 10));
    onTestFinished(() => limits.mockRestore());
    const hung = await startKeyServer();
    hung.respond = () => {};
    const healthy = await startKeyServer(KEY.jwk);
    const { checkToken } = startVerifier({ allowed: [hung.host, healthy.host] });
    const waiting = Promise.all(Array.from({ length: 50 }, () => checkToken(TOKEN, { jwksUrl: hung.url })));
    const checked = expect(checkToken(TOKEN, { jwksUrl: healthy.url })).resolves.toEqual(CLAIMS);
    expect(await Promise.race([checked.then(() => "checked"), waiting])).toBe("checked");
    expect(await waitedMs(waiting)).toBeLessThan(600);
    expect(limits).toHaveBeenCalledWith(5_000);
    expect(new Set(await waiting)).toEqual(new Set(["verifier_error"]));
    const again = expect(checkToken(TOKEN, { jwksUrl: hung.url })).resolves.toBe("verifier_error");
    expect(await waitedMs(again)).toBeLessThan(1_000);
    expect(hung.requests).toBe(1);
  });

  test("hangs when its set is to be refreshed: the old set is used without a wait", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    await checkToken(TOKEN);
    server.respond = () => {};
    // A caller that waited would wait for ever.
    const limits = vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
    onTestFinished(() => limits.mockRestore());
    advance(5 * MINUTE_MS);
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => checkToken(TOKEN)));
    expect(verdicts).toEqual(Array.from({ length: 50 }, () => CLAIMS));
    await expect.poll(() => server.requests).toBe(2);
  });

  test("is slow: no caller waits for a second fetch", async () => {
    const { checkToken, server } = await startProvider(KEY);
    const answer = server.respond;
    server.respond = (req, res) => setTimeout(() => answer(req, res), 100);
    expect(await checkToken(NEXT_TOKEN)).toBe("jwt_invalid_signature");
    expect(server.requests).toBe(1);
  });
});
