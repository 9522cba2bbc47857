// promise: webhooks.secret, webhooks.reseal
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSecretSealer } from "../../src/store/webhooks/secret-sealer.ts";
import { eventually } from "../harness/eventually.ts";
import { newTenant } from "../harness/latchkey.ts";
import { TOKEN_ISSUER, TOKEN_SECRET } from "../harness/token-settings.ts";
import { openReceiver, type Received, type Receiver, verified } from "./receiver.ts";
import { openWebhookService } from "./service.ts";

type Opened = Awaited<ReturnType<typeof openWebhookService>>;
interface Hook {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly secret: string;
}

const OLD_SECRET = "the-secret-before-this-one-0123456789abcdef";
const under = (...secrets: string[]) => createSecretSealer(() => secrets);

let receiver: Receiver;
let service: Opened;
beforeAll(async () => {
  receiver = await openReceiver();
  const accessTokens = { issuer: TOKEN_ISSUER, secrets: [TOKEN_SECRET, OLD_SECRET] };
  service = await openWebhookService([receiver], { purgeMs: 20, config: { accessTokens } });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function addHook(on = service): Promise<Hook> {
  const tenantId = newTenant();
  return { tenantId, ...(await on.addWebhook(tenantId, receiver)) };
}

/** The columns of its secrets. */
async function storedOf({ webhookId }: Hook, on = service): Promise<readonly (string | null)[]> {
  const { rows } = await sql<{ secret: string; previous_secret: string | null }>`
    select secret, previous_secret from webhooks where webhook_id = ${webhookId}`.execute(on.database.db);
  return rows.flatMap(({ secret, previous_secret }) => [secret, previous_secret]);
}

function store({ webhookId }: Hook, secret: string): Promise<unknown> {
  return sql`update webhooks set secret = ${secret} where webhook_id = ${webhookId}`.execute(service.database.db);
}

/** What a test of the webhook sends. `received` is undefined: nothing, because of `error`. */
async function tested({ tenantId, webhookId }: Hook, on = service): Promise<{ received?: Received; error: unknown }> {
  const { result } = await on.call(tenantId, "/api/v1/webhooks/test", { webhook_id: webhookId });
  const received = receiver.received.find(({ id }) => id === result.event_id);
  return { ...(received && { received }), error: result.error };
}

async function expectSigned(hook: Hook, secrets: readonly string[], on = service): Promise<void> {
  const { received, error } = await tested(hook, on);
  if (received === undefined) throw new Error(`nothing was sent: ${error}`);
  for (const secret of secrets) expect(() => verified(secret, received)).not.toThrow();
}

// threat: K18
test("the database has a secret sealed, also the one before a rotation, and both sign", async () => {
  const hook = await addHook();
  const [secret, none] = await storedOf(hook);
  expect([secret, none]).toEqual([expect.stringMatching(/^sealed:[0-9a-f]{8}:[\w-]{80,}$/), null]);
  const rotated = await service.call(hook.tenantId, "/api/v1/webhooks/rotate-secret", { webhook_id: hook.webhookId });
  await expectSigned(hook, [hook.secret, rotated.secret]);
  const sealer = under(TOKEN_SECRET);
  const opened = (await storedOf(hook)).map((stored) => sealer.open(hook, stored ?? ""));
  expect(opened).toEqual([rotated.secret, hook.secret]);
  expect((await storedOf(hook))[1]).toBe(secret);
});

describe("a secret that is stored", () => {
  test.each([
    ["as it is", (hook: Hook) => hook.secret],
    ["under the second value of TOKEN_SECRET", (hook: Hook) => under(OLD_SECRET).seal(hook, hook.secret)],
  ])("%s signs, and is sealed under the first value, which is then enough", async (_, form) => {
    const hook = await addHook();
    await store(hook, form(hook));
    await expectSigned(hook, [hook.secret]);
    const first = under(TOKEN_SECRET);
    await eventually(async () => {
      const [stored = ""] = await storedOf(hook);
      expect(stored?.startsWith(first.prefix ?? " ")).toBe(true);
      expect(first.open(hook, stored ?? "")).toBe(hook.secret);
    });
    await expectSigned(hook, [hook.secret]);
  });

  test.each([
    ["under another TOKEN_SECRET", (hook: Hook) => under("x".repeat(32)).seal(hook, hook.secret)],
    ["for another webhook", (hook: Hook) => under(TOKEN_SECRET).seal({ ...hook, webhookId: "whk_x" }, hook.secret)],
  ])("%s sends nothing unsigned, says so to tenant and operator, and is healed by a rotation", async (_, form) => {
    const hook = await addHook();
    const sealed = form(hook);
    await store(hook, sealed);
    const { received, error } = await tested(hook);
    expect([received, error]).toEqual([undefined, expect.stringContaining("cannot be read now")]);
    // An event, too, is tried again instead of being sent unsigned.
    await service.call(hook.tenantId, "/api/v1/api-keys/create", { name: "a key", permissions: ["plans:read"] });
    await eventually(async () =>
      expect(await service.deliveries(hook.tenantId)).toMatchObject([{ status: "pending", attempts: 1 }]),
    );
    // It stays as it is: with the right TOKEN_SECRET it would be read again.
    expect(await storedOf(hook)).toEqual([sealed, null]);
    const rotated = await service.call(hook.tenantId, "/api/v1/webhooks/rotate-secret", { webhook_id: hook.webhookId });
    await expectSigned(hook, [rotated.secret]);
  });

  test("under another TOKEN_SECRET is in the log", async () => {
    const hook = await addHook();
    await store(hook, under("y".repeat(32)).seal(hook, hook.secret));
    await eventually(async () =>
      expect(service.latchkey.logLines.join("")).toContain("TOKEN_SECRET does not decrypt the secret of a webhook"),
    );
  });
});

describe("all secrets of a webhook that was rotated twice", () => {
  const FIRST = under(TOKEN_SECRET);

  /** Its secrets as `form` stores them, the newest first. `seal` has the place's number. */
  async function rotatedTwice(form: (hook: Hook, secret: string, n: number) => string) {
    const hook = await addHook();
    const secrets = [hook.secret];
    for (let n = 0; n < 2; n += 1) {
      const { webhookId: webhook_id } = hook;
      const { secret } = await service.call(hook.tenantId, "/api/v1/webhooks/rotate-secret", { webhook_id });
      secrets.unshift(secret);
    }
    const stored = secrets.map((secret, n) => form(hook, secret, n));
    // In one statement: the pass that seals must not find a part of them.
    await sql`
      update webhooks set secret = ${stored[0]}, previous_secret = ${stored[1]},
        former_secrets = jsonb_set(former_secrets, '{0,secret}', to_jsonb(${stored[2]}::text))
      where webhook_id = ${hook.webhookId}`.execute(service.database.db);
    return { hook, secrets, stored };
  }

  async function allStored({ webhookId }: Hook): Promise<string[]> {
    const { rows } = await sql<{ stored: string[] }>`
      select jsonb_build_array(secret, previous_secret) || jsonb_path_query_array(former_secrets, '$[*].secret') as stored
      from webhooks where webhook_id = ${webhookId}`.execute(service.database.db);
    return rows[0]?.stored ?? [];
  }

  // A pass seals a row as soon as one of its places is not under the first value: each place has to be that one.
  const PLACES = ["secret", "previous_secret", "former_secrets"];
  test.each([
    ...PLACES.map(
      (place, at) =>
        [
          `whose ${place} is under the second value of TOKEN_SECRET`,
          (hook: Hook, secret: string, n: number) => (n === at ? under(OLD_SECRET) : FIRST).seal(hook, secret),
        ] as const,
    ),
    ["which are stored as they are", (_: Hook, secret: string) => secret] as const,
  ])("%s, sign, and are sealed under the first value", async (_, form) => {
    const { hook, secrets } = await rotatedTwice(form);
    await expectSigned(hook, secrets);
    await eventually(async () => {
      const stored = await allStored(hook);
      for (const text of stored) expect(text.startsWith(FIRST.prefix ?? " ")).toBe(true);
      expect(stored.map((text) => FIRST.open(hook, text))).toEqual(secrets);
    });
    await expectSigned(hook, secrets);
  });

  test("of which no value opens one, keep it as it is, and the others are sealed and sign", async () => {
    const { hook, secrets, stored } = await rotatedTwice((hook, secret, n) =>
      under(n === 2 ? "z".repeat(32) : OLD_SECRET).seal(hook, secret),
    );
    await eventually(async () => {
      const after = await allStored(hook);
      expect(after.map((text) => FIRST.open(hook, text))).toEqual([...secrets.slice(0, 2), undefined]);
      expect(after[2]).toBe(stored[2]);
    });
    await expectSigned(hook, secrets.slice(0, 2));
  });
});

test("without TOKEN_SECRET webhooks work, and their secrets are stored as they are", async () => {
  const own = await openWebhookService([receiver], { purgeMs: 20, config: { accessTokens: null } });
  try {
    const hook = await addHook(own);
    expect(await storedOf(hook, own)).toEqual([hook.secret, null]);
    await expectSigned(hook, [hook.secret], own);
  } finally {
    await own.close();
  }
});
