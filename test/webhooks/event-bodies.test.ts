// promise: conversations.finish, delivery.body
import { afterAll, beforeAll, expect, test } from "vitest";
import { EVENT_TYPES, type EventType } from "../../src/domain/webhooks/event-types.ts";
import { gatewayCaller } from "../harness/gateway.ts";
import type { Answer, JsonObject } from "../harness/http.ts";
import { report } from "../harness/leaks.ts";
import { fails, MODEL_KEY, type Model, type ModelAnswer, replies, startModel } from "../harness/model.ts";
import { operatorOf } from "../harness/operator.ts";
import { invite, newMember, newOrganization, type OrgUser, orgUser } from "../harness/organizations.ts";
import { HOUR } from "../harness/test-clock.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { eventOf, newTenant, openWebhookService } from "./service.ts";

const MINUTE = 60_000;
const DAY = 24 * HOUR;
const TEXT = "a confidential text";

type Founded = Awaited<ReturnType<typeof newOrganization>>;

let model: Model;
let receiver: Receiver;
let service: Awaited<ReturnType<typeof openWebhookService>>;

beforeAll(async () => {
  model = await startModel();
  receiver = await openReceiver();
  service = await openWebhookService([receiver], { config: { assistant: model.config() } });
});

afterAll(async () => {
  await service?.close();
  await receiver?.close();
  await model?.close();
});

/** What a call changed. */
interface Changed {
  /** `data` without `tenant_id` and `sequence`: the record as a call returns it once the event has come. */
  readonly data: () => Promise<JsonObject> | JsonObject;
  /** Secrets, texts and addresses that the change is about. The body must not have them. */
  readonly hidden?: readonly string[];
  /** What to do until the event comes. */
  readonly meanwhile?: () => void;
}

/** Calls as a dashboard user of the tenant whose webhook listens. */
type Call = (path: string, body: unknown) => Promise<JsonObject>;

/** Makes a change of a tenant, or of an organization, once a webhook listens to it. */
type Change = (listen: (tenant: string) => Promise<Call>) => Promise<Changed>;

const operator = () => operatorOf(service.latchkey);
const inMs = (ms: number): string => new Date(service.latchkey.clock.now().getTime() + ms).toISOString();
const advance = (ms: number): void => service.latchkey.clock.advance(ms);

/** A change of a new key. `beside`: what the event has beside the key. */
function ofKey(
  change: (call: Call, key: JsonObject) => unknown,
  options: {
    readonly fields?: () => object;
    readonly beside?: (shown: JsonObject) => JsonObject;
    readonly meanwhile?: () => void;
  } = {},
): Change {
  return async (listen) => {
    const call = await listen(newTenant());
    const body = { name: "key", permissions: ["plans:read"], ...options.fields?.() };
    const { result } = await call("/api/v1/api-keys/create", body);
    await change(call, result);
    return {
      async data() {
        const shown = (await call("/api/v1/api-keys/get", { key_id: result.key_id })).result;
        return { ...shown, ...options.beside?.(shown) };
      },
      hidden: [result.key],
      ...(options.meanwhile && { meanwhile: options.meanwhile }),
    };
  };
}

const keyCall = (verb: string, fields: object = {}): Change =>
  ofKey((call, { key_id }) => call(`/api/v1/api-keys/${verb}`, { key_id, ...fields }));

/** A change of an organization with a member besides the owner. */
function ofMember(
  change: (founded: Founded, member: OrgUser) => Promise<{ readonly data: JsonObject; readonly hidden?: string[] }>,
): Change {
  return async (listen) => {
    const founded = await newOrganization(service.latchkey);
    const member = await newMember(service.latchkey, founded, "viewer");
    await listen(founded.org.tenant_id);
    const { data, hidden = [] } = await change(founded, member);
    return { data: () => data, hidden: [member.email, founded.owner.email, ...hidden] };
  };
}

/** A member as events name them. */
const memberOf = ({ sub }: OrgUser, role: string) => ({ user_id: sub, issuer: service.latchkey.provider.issuer, role });

async function succeed(answer: Promise<Answer>): Promise<JsonObject> {
  const { status, text, json } = await answer;
  expect(status, text).toBe(200);
  return json;
}

const suspension = (verb: "suspend" | "resume"): Change => {
  return async (listen) => {
    const tenant_id = newTenant();
    await listen(tenant_id);
    const reason = "unpaid invoices";
    if (verb === "resume") await operator().answer("tenants/suspend", { tenant_id, reason });
    await operator().answer(`tenants/${verb}`, { tenant_id, ...(verb === "suspend" && { reason }) });
    return { data: () => ({ suspended: verb === "suspend" }), hidden: [reason] };
  };
};

const run = (answer: ModelAnswer): Change => {
  return async (listen) => {
    model.answer(answer);
    const tenant = newTenant();
    await listen(tenant);
    const { key } = await service.latchkey.createKey(await service.latchkey.dashboard(tenant), {
      permissions: ["conversations:*", "users:impersonate"],
    });
    const gateway = gatewayCaller(service.latchkey, { "x-api-key": key, "x-on-behalf-of": "user-7" });
    await succeed(gateway.send("chat-1", TEXT));
    return {
      async data() {
        const shown = (await succeed(gateway.state("chat-1", { wait_ms: 20_000 }))).run;
        const { thread_id } = (await gateway.threads()).threads[0];
        return { ...shown, thread_id, conversation_key: "chat-1", user_id: "user-7" };
      },
      hidden: [TEXT, MODEL_KEY, key],
    };
  };
};

/** How each event comes about by a call, or for want of one. */
const CHANGES: Readonly<Record<EventType, Change>> = {
  "api_key.created": ofKey(() => undefined),
  "api_key.updated": keyCall("update", { name: "renamed", update_mask: "name" }),
  "api_key.rotated": keyCall("rotate", { grace_period_hours: 1 }),
  "api_key.disabled": keyCall("disable"),
  "api_key.enabled": ofKey(async (call, { key_id }) => {
    await call("/api/v1/api-keys/disable", { key_id });
    await call("/api/v1/api-keys/enable", { key_id });
  }),
  "api_key.revoked": keyCall("revoke"),
  "api_key.leaked": ofKey(async (_, { key }) => succeed(report(service.latchkey, [{ key, source: "gist" }]))),
  "api_key.expiring": ofKey(() => advance(2 * HOUR), {
    fields: () => ({ expires_at: inMs(DAY + HOUR) }),
    beside: () => ({ expires_in_days: 1 }),
  }),
  "api_key.expired": ofKey(() => advance(2 * HOUR), { fields: () => ({ expires_at: inMs(HOUR) }) }),
  "api_key.unused": ofKey(() => advance(90 * DAY), { beside: ({ created_at }) => ({ unused_since: created_at }) }),
  "api_key.rate_limited": ofKey(
    async (_, { key }) => {
      const verify = () => service.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });
      expect([(await verify()).status, (await verify()).status]).toEqual([200, 429]);
    },
    {
      fields: () => ({ rate_limit: { requests_per_minute: 1 } }),
      beside: () => ({ limited_in_hour: expect.stringMatching(/T\d\d:00:00.000Z$/) }),
      // Keys are looked through each minute, and what was counted is stored before one of them.
      meanwhile: () => advance(MINUTE),
    },
  ),
  "key_policy.updated": async (listen) => {
    const call = await listen(newTenant());
    await call("/api/v1/api-keys/policy/set", { policy: { max_keys: 5 } });
    return { data: async () => (await call("/api/v1/api-keys/policy/get", {})).result };
  },
  "org.invitation.created": ofMember(async ({ owner }) => {
    const { token, invitation_id } = await invite(owner, "jo@example.com", "developer");
    return { data: { invitation_id, role: "developer" }, hidden: [token] };
  }),
  "org.invitation.accepted": ofMember(async ({ owner }) => {
    const user = orgUser(service.latchkey);
    const { token, invitation_id } = await invite(owner, user.email, "developer");
    await succeed(user.call("invitations/accept", { token }));
    return { data: { invitation_id, role: "developer" }, hidden: [token, user.email] };
  }),
  "org.member.added": ofMember(async (founded) => {
    const user = await newMember(service.latchkey, founded, "developer");
    return { data: memberOf(user, "developer"), hidden: [user.email] };
  }),
  "org.member.role_changed": ofMember(async ({ owner }, member) => {
    await succeed(owner.call("members/set-role", { user_id: member.sub, role: "admin" }));
    return { data: { ...memberOf(member, "admin"), previous_role: "viewer" } };
  }),
  "org.member.removed": ofMember(async ({ owner }, member) => {
    await succeed(owner.call("members/remove", { user_id: member.sub }));
    return { data: memberOf(member, "viewer") };
  }),
  "run.completed": run(replies()),
  "run.failed": run(fails(400)),
  "tenant.suspended": suspension("suspend"),
  "tenant.resumed": suspension("resume"),
  "user.erased": ofMember(async ({ org: { tenant_id } }, { sub: user_id }) => {
    const { removed } = await operator().result("users/erase", { tenant_id, user_id });
    const some = Object.entries(removed).filter(([, count]) => count !== 0);
    expect(some).toContainEqual(["members", 1]);
    return { data: { user_id, removed: Object.fromEntries(some) } };
  }),
};

test.each(EVENT_TYPES)(
  "%s is received with the record as a call returns it, and nothing that is secret",
  async (type) => {
    let [secret, tenant] = ["", ""];
    const {
      data,
      hidden = [],
      meanwhile,
    } = await CHANGES[type](async (listening) => {
      tenant = listening;
      ({ secret } = await service.addWebhook(tenant, receiver, [type]));
      return (path, body) => service.call(listening, path, body);
    });
    // From then on the clock stands: it would end the lease of the delivery that is under way, which is then made again.
    const isWritten = async () =>
      (await service.call(tenant, "/api/v1/webhooks/deliveries/list", {})).deliveries.length > 0;
    const ofTenant = () => receiver.received.filter((each) => eventOf(each).data.tenant_id === tenant);
    await expect
      .poll(async () => {
        if (meanwhile !== undefined && !(await isWritten())) meanwhile();
        return ofTenant().length;
      })
      .toBe(1);
    const [received] = ofTenant();
    if (received === undefined) throw new Error("no event came");
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const beside = { tenant_id: tenant, sequence: expect.any(Number) };
    expect(eventOf(received)).toEqual({ type, timestamp, data: { ...(await data()), ...beside } });
    for (const text of [...hidden, secret, "@"]) expect(received.body).not.toContain(text);
  },
);
