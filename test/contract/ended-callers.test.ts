// promise: access.makes-nothing
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { withoutCredentials } from "../../src/domain/vocabulary/credential-pattern.ts";
import { DERIVE } from "../harness/derived-tokens.ts";
import { type Employer, newEmployer } from "../harness/federation.ts";
import { newSender } from "../harness/proofs.ts";
import { type PublishableService, startPublishable } from "../harness/publishable.ts";
import { OPEN_RPCS, RPCS, type Rpc, USER_MESSAGE } from "../harness/rpcs.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";
import { webhooksOf } from "../harness/webhooks.ts";
import { openReceiver, type Receiver } from "../webhooks/receiver.ts";

type Headers = Record<string, string>;

/** A token that stands for the tenant's key with `*`, and the headers of a request with it. */
interface TokenCaller {
  readonly token: string;
  readonly tokenId: string;
  readonly headers: (path: string) => Promise<Headers> | Headers;
}

const READS = new Set(
  SERVICES.flatMap(({ methods }) => methods)
    .filter(({ idempotency }) => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
    .map(({ parent, name }) => `/${parent.typeName}/${name}`),
);
const CHANGING = RPCS.filter(({ procedure }) => !READS.has(procedure));
/** Lists and records that a tenant's users read. Not among them: what calls count and log, and content of conversations. */
const SHOWN = RPCS.filter(
  ({ procedure, callers }) =>
    READS.has(procedure) &&
    callers !== "operator" &&
    /\/(?:List|Get)/.test(procedure) &&
    !/\/(?:ListAuditEvents|ListRequests|ListTopKeys|GetUsage|GetApiKeyUsage|ListThreads|GetConversationState)$/.test(
      procedure,
    ),
);

let service: PublishableService;
let receiver: Receiver;
let employer: Employer;
let ruleId: string;
let webhookId: string;
let key: Headers;
let callers: Readonly<Record<string, TokenCaller>>;

beforeAll(async () => {
  receiver = await openReceiver();
  service = await startPublishable({ webhookAllowedHosts: [receiver.host] });
  employer = await newEmployer(service, { permissions: ["*"] });
  key = { "x-api-key": employer.key.key };
  ruleId = (await employer.create({ scopes: ["*"] })).rule_id;
  // Not of messages: those go on to the tenant's own webhooks, whoever sent them.
  const webhook = { url: receiver.url, events: ["api_key.created"] };
  webhookId = (await webhooksOf(service.latchkey, employer.tenant).create(webhook)).webhook_id;
  callers = {
    "a token": await derived({}, false),
    "a token for a user": await derived({ user_id: "anna" }, false),
    "a bound token": await derived({}, true),
    "a bound token for a user": await derived({ user_id: "anna" }, true),
    "a workload's token": bearerCaller(await employer.token(ruleId)),
  };
});

afterAll(async () => {
  await service.latchkey.close();
  await service.keyHost.close();
  await receiver.close();
});

async function derived(fields: object, isBound: boolean): Promise<TokenCaller> {
  const sender = await newSender();
  const body = { scopes: ["*"], ...fields, ...(isBound && { confirmation_jkt: sender.jkt }) };
  const { json } = await service.latchkey.call(DERIVE, body, key);
  const token: string = json.result.token;
  if (!isBound) return bearerCaller(token);
  const headers = async (path: string) => {
    const iat = Math.floor(service.latchkey.clock.now().getTime() / 1_000);
    return {
      authorization: `DPoP ${token}`,
      dpop: await sender.prove("POST", TOKEN_ISSUER + path, token, { claims: { iat } }),
    };
  };
  return { token, tokenId: idOf(token), headers };
}

function bearerCaller(token: string): TokenCaller {
  return { token, tokenId: idOf(token), headers: () => ({ authorization: `Bearer ${token}` }) };
}

function idOf(token: string): string {
  const [, payload = ""] = token.split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString()).jti;
}

/** What a caller would send to make the most of an RPC. Of the others, the example. */
function bodyOf({ procedure, body }: Rpc): object {
  const [, name = ""] = /\/(\w+)$/.exec(procedure) ?? [];
  const bodies: Readonly<Record<string, object>> = {
    CreateFederationRule: employer.values({ scopes: ["*"] }),
    UpdateFederationRule: { rule_id: ruleId, name: "mine", update_mask: "name" },
    DeleteFederationRule: { rule_id: ruleId },
    CheckFederationAssertion: { rule_id: ruleId, assertion: employer.assertion() },
    CreateWebhook: { url: receiver.url, events: ["*"] },
    UpdateWebhook: { webhook_id: webhookId, url: `${receiver.url}/mine`, update_mask: "url" },
    DeleteWebhook: { webhook_id: webhookId },
    RotateWebhookSecret: { webhook_id: webhookId },
    TestWebhook: { webhook_id: webhookId },
    SendMessage: { conversation_key: "ended", user_message: USER_MESSAGE },
  };
  return bodies[name] ?? body(employer.key.key_id);
}

/** All that the tenant's users see of what gives access or sends events. */
async function shown(): Promise<Record<string, unknown>> {
  const headers = await service.latchkey.dashboard(employer.tenant);
  const answers = SHOWN.map(async (rpc) => {
    const { text } = await service.latchkey.call(rpc.path, rpc.body(employer.key.key_id), headers);
    // Every call is a use of the key, and each token has ended.
    return [rpc.path, text.replace(/,?"(?:last_used_at|revoked_at)":(?:"[^"]*"|null)/g, "")];
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** What a call that may be made by a token comes to. Each is on the reviewed list of `policies.test.ts`, too. */
const ADMITTED: Readonly<Record<string, number>> = {
  SendMessage: 200,
  CheckFederationAssertion: 200,
  TestWebhook: 200,
  // Another token than its own.
  RevokeToken: 404,
};

describe("of what a token with every scope calls", () => {
  // threat: Q4
  test("each change that it may not make is 403 token_not_allowed, and nothing of the others outlives it", async () => {
    const before = await shown();
    for (const [name, caller] of Object.entries(callers)) {
      for (const rpc of CHANGING) {
        const headers = await caller.headers(rpc.path);
        const { status, json, text } = await service.latchkey.call(rpc.path, bodyOf(rpc), headers);
        const admitted = ADMITTED[rpc.procedure.slice(rpc.procedure.lastIndexOf("/") + 1)];
        const expected = admitted === undefined ? [403, "insufficient_scope", "token_not_allowed"] : [admitted];
        const found = admitted === undefined ? [status, json.denial_reason, json.reason] : [status];
        expect(found, `${name}: ${rpc.path} ${text}`).toEqual(expected);
        expect(withoutCredentials(text), `${name}: ${rpc.path}`).toBe(text);
      }
    }
    for (const { tokenId, headers } of Object.values(callers)) {
      const path = "/api/v1/tokens/revoke";
      expect((await service.latchkey.call(path, { token_id: tokenId }, await headers(path))).status).toBe(200);
    }
    const events = receiver.received.length;
    for (const [name, { headers }] of Object.entries(callers)) {
      for (const { path, body } of RPCS) {
        const { status, json } = await service.latchkey.call(path, body("key_x"), await headers(path));
        expect([status, json.denial_reason], `${name}: ${path}`).toEqual([401, "token_revoked"]);
      }
    }
    expect(await shown()).toEqual(before);
    expect(receiver.received.length).toBe(events);
  });
});

// threat: Q4
test("what a secret key made for itself ends with the key: its tokens, and those of its rules", async () => {
  const { latchkey } = service;
  const other = await newEmployer(service, { permissions: ["*"] });
  const own = { "x-api-key": other.key.key };
  const { json } = await latchkey.call(DERIVE, { scopes: ["*"] }, own);
  const rule = await latchkey.call("/api/v1/federation/rules/create", other.values({ scopes: ["*"] }), own);
  const tokens = [String(json.result.token), await other.token(rule.json.result.rule_id)];
  await latchkey.call("/api/v1/api-keys/revoke", { key_id: other.key.key_id }, await latchkey.dashboard(other.tenant));
  for (const token of tokens) {
    const { status } = await latchkey.call("/api/v1/auth/verify", {}, { authorization: `Bearer ${token}` });
    expect(status).toBe(401);
  }
  expect((await other.exchange(rule.json.result.rule_id, other.assertion())).json.error).toBe("invalid_grant");
});

// threat: Q4
test("the walk knows each RPC: it changes something, reads, or is open to anyone", () => {
  const all = SERVICES.flatMap(({ methods }) => methods).map(({ parent, name }) => `/${parent.typeName}/${name}`);
  const walked = [...CHANGING, ...OPEN_RPCS].map(({ procedure }) => procedure);
  expect([...new Set([...walked, ...READS])].toSorted()).toEqual(all.toSorted());
  expect(SHOWN.map(({ procedure }) => procedure.slice(procedure.lastIndexOf("/") + 1))).toEqual(
    expect.arrayContaining(["ListApiKeys", "ListFederationRules", "ListWebhooks", "ListTokens", "ListInvitations"]),
  );
});
