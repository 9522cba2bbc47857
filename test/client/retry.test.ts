import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { DenialReason } from "../../clients/typescript/src/gen/latchkey/v1/denial_pb.ts";
import {
  ApiKeyService,
  AuthService,
  Code,
  createLatchkeyClient,
  denialOf,
  GatewayService,
  isDenial,
  type LatchkeyClient,
  OperatorService,
  OrgService,
  type RetryOptions,
  ScopeService,
  TokenService,
  UsageService,
  WebhookService,
} from "../../clients/typescript/src/index.ts";
import { denied, ok, type ScriptedService, type Step, startScriptedService } from "./scripted-service.ts";

let service: ScriptedService;
let pauses: number[];

beforeAll(async () => {
  service = await startScriptedService();
});

afterAll(() => service.close());

beforeEach(() => {
  pauses = [];
});

function client(retry: RetryOptions = {}): LatchkeyClient {
  const sleep: RetryOptions["sleep"] = async (ms) => void pauses.push(ms);
  return createLatchkeyClient({ baseUrl: service.url, apiKey: "sk_x", retry: { sleep, random: () => 0, ...retry } });
}

const limited = (retryAfter?: string): Step =>
  denied(
    429,
    "resource_exhausted",
    DenialReason.RATE_LIMITED,
    retryAfter === undefined ? {} : { "Retry-After": retryAfter },
  );
/** Without a denial of Latchkey's: it is unknown whether the call had an effect. */
const limitedByProxy = (retryAfter?: string): Step => ({
  status: 429,
  headers: { "Content-Type": "text/html", ...(retryAfter !== undefined && { "Retry-After": retryAfter }) },
  body: "<h1>429</h1>",
});
const unavailable: Step = { status: 503, body: JSON.stringify({ code: "unavailable", message: "stopping" }) };

const SERVICES = [
  [ApiKeyService, "apiKeys"],
  [AuthService, "auth"],
  [GatewayService, "gateway"],
  [OrgService, "orgs"],
  [ScopeService, "scopes"],
  [TokenService, "tokens"],
  [UsageService, "usage"],
  [WebhookService, "webhooks"],
  [OperatorService, "operator"],
] as const;

/** The RPCs that make a secret. */
const SECRETS = SERVICES.flatMap(([{ methods }, name]) =>
  methods.filter(({ input }) => input.field.clientRequestId !== undefined).map((method) => ({ name, method })),
);

/** What their protos say of them; `test/proto/side-effects.test.ts` says which those are. */
const READS = SERVICES.flatMap(([{ methods }]) => methods)
  .filter(({ idempotency }) => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
  .map(({ name }) => name);

/** The client names the calls that send a message or make a secret. */
const REPEATED = SERVICES.flatMap(([{ methods }]) => methods)
  .filter(({ name, input }) => READS.includes(name) || input.field.clientMessageId || input.field.clientRequestId)
  .map(({ name }) => name);

function callOf(of: LatchkeyClient, name: keyof LatchkeyClient, method: string): (request: object) => Promise<unknown> {
  const call = Object.entries(of[name]).find(([each]) => each === method)?.[1];
  return async (request) => call?.(request);
}

/** The calls of all services, by the name of their RPC, each with nothing in the request. */
function calls(of: LatchkeyClient): [rpc: string, call: () => Promise<unknown>][] {
  return SERVICES.flatMap(([desc, name]) =>
    desc.methods.map((method): [string, () => Promise<unknown>] => {
      const call = Object.entries(of[name]).find(([name]) => name === method.localName)?.[1];
      return [method.name, async () => call?.({})];
    }),
  );
}

describe("a rate-limited call", () => {
  test("of any kind is retried after Retry-After", async () => {
    for (const [rpc, call] of calls(client())) {
      service.play(limited("7"), limited("1"), ok());
      await call();
      expect(service.received, rpc).toHaveLength(3);
    }
    expect(new Set(pauses)).toEqual(new Set([7_000, 1_000]));
  });

  test("is thrown unchanged after the last attempt", async () => {
    service.play(limited("2"));
    const err = await client({ attemptsMax: 4 })
      .gateway.listThreads({})
      .catch((err: unknown) => err);
    expect(isDenial(err, "rate_limited")).toBe(true);
    expect(denialOf(err)).toMatchObject({ reason: "rate_limited", message: "no", retryAfterSeconds: 2 });
    expect(service.received).toHaveLength(4);
    expect(pauses).toEqual([2_000, 2_000, 2_000]);
  });

  test("is thrown at once without Retry-After, since its cost is above the limit", async () => {
    service.play(limited(), ok());
    const err = await client()
      .gateway.listThreads({})
      .catch((err) => err);
    expect(denialOf(err)).toEqual({ reason: "rate_limited", message: "no" });
    expect([service.received.length, pauses]).toEqual([1, []]);
  });

  test("has the seconds of a Retry-After that is a date, too", async () => {
    service.play(limited(new Date(Date.now() + 3_600_000).toUTCString()));
    const err = await client()
      .gateway.listThreads({})
      .catch((err) => err);
    expect(denialOf(err)?.retryAfterSeconds).toBeGreaterThan(3_590);
    expect(denialOf(err)?.retryAfterSeconds).toBeLessThanOrEqual(3_600);
  });

  test("is thrown at once if Retry-After is longer than the caller's timeout", async () => {
    service.play(limited("31"));
    await expect(client().gateway.listThreads({})).rejects.toThrow();
    await expect(client({ attemptsMax: 1 }).gateway.listThreads({})).rejects.toThrow();
    service.play(limited("31"), ok());
    await client({ pauseMsMax: 31_000 }).gateway.listThreads({});
    expect(pauses).toEqual([31_000]);
  });

  test.each(["999999999", "1000000000", "9".repeat(400)])(
    "is thrown at once if Retry-After is longer than any timer: %s",
    async (retryAfter) => {
      service.play(limited(retryAfter));
      for (const retry of [{}, { pauseMsMax: Number.POSITIVE_INFINITY }]) {
        await expect(client(retry).gateway.listThreads({})).rejects.toThrow();
      }
      expect(pauses).toEqual([]);
      expect(service.received).toHaveLength(2);
    },
  );

  test("waits until the date in Retry-After, which proxies send, on the caller's clock", async () => {
    const now = () => Date.parse("2026-11-21T10:00:00Z");
    service.play(limited("Sat, 21 Nov 2026 10:00:05 GMT"), limited("Sat, 21 Nov 2026 09:00:00 GMT"), ok());
    await client({ now }).gateway.listThreads({});
    expect(pauses).toEqual([5_000, 0]);
    pauses = [];
    service.play(limited("Saturday, 21-Nov-26 10:00:07 GMT"), ok());
    await client({ now }).gateway.listThreads({});
    expect(pauses).toEqual([7_000]);
  });

  test.each(["-1", "1.5", "1e1", "+5", "5, 5", "5 s", "0x5", "2026-11-21", "Sat, 99 Nov 2026 10:00:05 GMT", ""])(
    "with a Retry-After that is neither whole seconds nor a date waits as if there were none: %j",
    async (retryAfter) => {
      service.play(limitedByProxy(retryAfter), ok());
      await client().gateway.listThreads({});
      expect(pauses).toEqual([125]);
    },
  );

  test("without a valid Retry-After backs off exponentially, with jitter", async () => {
    service.play(unavailable, limitedByProxy("soon"), unavailable, ok());
    await client({ attemptsMax: 9 }).gateway.listThreads({});
    expect(pauses).toEqual([125, 250, 500]);
    pauses = [];
    service.play(unavailable, ok());
    await client({ random: () => 0.5 }).gateway.listThreads({});
    expect(pauses).toEqual([188]);
  });
});

describe("a call that fails temporarily", () => {
  test.each<[string, Step]>([
    ["the service says unavailable", unavailable],
    [
      "a proxy answers 503 with a page",
      { status: 503, headers: { "Content-Type": "text/html" }, body: "<h1>503</h1>" },
    ],
    ["a proxy limits requests, and says so in a page", limitedByProxy()],
    ["a proxy limits requests, and says so in JSON of its own", { status: 429, body: '{"message":"slow down"}' }],
    ["the credentials could not be checked", denied(500, "internal", DenialReason.VERIFIER_ERROR)],
    ["the connection breaks", "hang up"],
    ["the answer breaks off in the middle", "break off"],
  ])("is retried only if it is a read, or has an id: %s", async (_why, step) => {
    const repeated: string[] = [];
    for (const [rpc, call] of calls(client())) {
      service.play(step);
      await expect(call(), rpc).rejects.toThrow();
      if (service.received.length > 1) repeated.push(rpc);
      expect([1, 3], rpc).toContain(service.received.length);
    }
    expect(repeated).toEqual(REPEATED);
  });

  test("is retried if it creates an organization with an id of the caller's", async () => {
    service.play("hang up", ok());
    await client().orgs.createOrg({ name: "Acme", clientOrgId: "signup" });
    expect(service.received).toHaveLength(2);
  });

  test("has one id for all its attempts if it makes a secret, the caller's own where they name it", async () => {
    for (const { name, method } of SECRETS) {
      const call = (request: object) => callOf(client(), name, method.localName)(request);
      for (const request of [{}, { clientRequestId: "deploy-7" }]) {
        service.play("hang up", ok());
        await call(request);
        const ids = service.received.map(({ body }) => body.client_request_id);
        expect(ids, method.name).toEqual([ids[0], ids[0]]);
        expect(ids[0], method.name).toMatch("clientRequestId" in request ? /^deploy-7$/ : /^[0-9a-f]{32}$/);
        expect(request).not.toHaveProperty("client_request_id");
      }
      service.play(ok());
      await call({});
      const body = service.received[0]?.body;
      service.play(ok());
      await call({});
      expect(service.received[0]?.body, method.name).not.toEqual(body);
    }
  });

  // threat: Q9
  test("fails with what was made if it makes a secret and the answer that had it was lost", async () => {
    for (const { name, method } of SECRETS) {
      const { fields = [] } = method.output.field.result?.message ?? {};
      const id = fields.find((field) => field.name.endsWith("_id"))?.jsonName ?? "";
      const isInside = fields.some((field) => field.name === "already_created");
      const again = { already_created: true };
      const answer = { ...(!isInside && again), result: { [id]: "made_7", ...(isInside && again) } };
      service.play("hang up", ok(answer));
      await expect(callOf(client(), name, method.localName)({}), method.name).rejects.toMatchObject({
        code: Code.DataLoss,
        rawMessage: expect.stringContaining("made_7"),
      });
      // Who names the call reads in the answer that it was repeated.
      service.play(ok(answer));
      await callOf(client(), name, method.localName)({ clientRequestId: "deploy-7" });
    }
  });

  test("waits for a proxy's Retry-After, and no longer than the caller's timeout", async () => {
    service.play(limitedByProxy("7"), limitedByProxy(), ok());
    await client().gateway.listThreads({});
    expect(pauses).toEqual([7_000, 250]);
    service.play(limitedByProxy("31"));
    await expect(client().gateway.listThreads({})).rejects.toMatchObject({ code: Code.Unavailable });
    expect(service.received).toHaveLength(1);
  });

  test("waits for the service's Retry-After", async () => {
    service.play(
      { status: 503, headers: { "Retry-After": "5" }, body: '{"code":"unavailable"}' },
      denied(500, "internal", DenialReason.VERIFIER_ERROR, { "Retry-After": "25" }),
      ok(),
    );
    await client().gateway.listThreads({});
    expect(pauses).toEqual([5_000, 25_000]);
  });

  test("succeeds when the fault is over", async () => {
    service.play("hang up", "break off", unavailable, ok({ pagination: { total: 3 } }));
    expect((await client({ attemptsMax: 4 }).gateway.listThreads({})).pagination?.total).toBe(3);
  });

  test("is not retried after a permanent error", async () => {
    for (const step of [
      denied(500, "internal", DenialReason.OIDC_NOT_CONFIGURED),
      denied(401, "unauthenticated", DenialReason.API_KEY_REVOKED),
      { status: 500, body: JSON.stringify({ code: "internal", message: "bug" }) },
      { status: 413, body: JSON.stringify({ code: "resource_exhausted", message: "too large" }) },
    ]) {
      service.play(step);
      await expect(client().gateway.listThreads({})).rejects.toThrow();
      expect(service.received).toHaveLength(1);
    }
  });

  test.each<Step>(["hang up", "break off"])("names the unreachable host and the reason: %s", async (step) => {
    service.play(step);
    const err = await client()
      .orgs.createOrg({ name: "a" })
      .catch((err: unknown) => err);
    const rawMessage = `Latchkey could not be reached at ${new URL(service.url).host} (UND_ERR_SOCKET)`;
    expect(err).toMatchObject({ code: Code.Unavailable, rawMessage });
    expect(err).toHaveProperty("cause", expect.any(TypeError));
    expect(isDenial(err)).toBe(false);
  });

  test("does not repeat anything of the request in the message of an unknown error", async () => {
    const fetch = () => Promise.reject(new TypeError("bad header: sk_hunter2"));
    const call = createLatchkeyClient({ baseUrl: "https://api.example.com:8443", apiKey: "sk_hunter2", fetch });
    await expect(call.orgs.createOrg({ name: "a" })).rejects.toMatchObject({
      rawMessage: "Latchkey could not be reached at api.example.com:8443",
    });
  });
});

test.each<[string, Step]>([
  ["a page", { status: 200, headers: { "Content-Type": "text/html" }, body: "<h1>Welcome</h1>" }],
  ["broken JSON", { status: 200, body: "{" }],
  ["nothing", { status: 200, body: "" }],
  ["a list", { status: 200, body: "[]" }],
])("an answer of %s is reported as not Latchkey's, and not retried", async (_what, step) => {
  service.play(step);
  await expect(client().gateway.listThreads({})).rejects.toMatchObject({
    code: Code.Unknown,
    rawMessage: `${new URL(service.url).host} sent a response that is not from Latchkey; is baseUrl that of a Latchkey service?`,
  });
  expect(service.received).toHaveLength(1);
});

describe("a pause", () => {
  test("ends when the caller aborts, and nothing more is sent", async () => {
    const giveUp = new AbortController();
    service.play(limited("5"));
    const sleep = async (): Promise<void> => giveUp.abort();
    const call = client({ sleep }).gateway.listThreads({}, { signal: giveUp.signal });
    await expect(call).rejects.toMatchObject({ code: Code.Canceled });
    expect(service.received).toHaveLength(1);
  });

  test("ends with the call's timeout", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const timer = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => void vi.restoreAllMocks().useRealTimers());
    service.play(limited("20"));
    const options = { baseUrl: service.url, apiKey: "sk_x", timeoutMs: 3_000 };
    const call = createLatchkeyClient(options).gateway.listThreads({});
    const ended = expect(call).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    await vi.waitUntil(() => timer.mock.calls.some(([, ms]) => ms === 20_000), { timeout: 60_000 });
    vi.advanceTimersByTime(3_000);
    await ended;
    expect(service.received).toHaveLength(1);
  });
});

describe("each attempt", () => {
  test("has the user's current token", async () => {
    let minted = 0;
    const getUserToken = async (): Promise<string> => `token-${++minted}`;
    const sleep = async (): Promise<void> => {};
    service.play(limited("1"), limited("1"), ok());
    await createLatchkeyClient({ baseUrl: service.url, getUserToken, retry: { sleep } }).apiKeys.listApiKeys({});
    expect(service.received.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-2",
      "Bearer token-3",
    ]);
  });

  test("sends no timeout of its own, since the caller's is for all attempts", async () => {
    service.play(ok());
    await client().gateway.listThreads({}, { timeoutMs: 120_000 });
    expect(service.received[0]?.headers).not.toHaveProperty("connect-timeout-ms");
  });
});
