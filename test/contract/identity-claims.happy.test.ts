// promise: orgs.switch, hooks.claims, hooks.secret
import { describe, expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import {
  askHook,
  BEARER_SECRET,
  HOOK_PAYLOADS,
  SIGNING_SECRET,
  standardSignature,
  zitadelSignature,
} from "../harness/login-hook.ts";
import { invite, newMember, newOrganization, orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey({ identityHookSecrets: [BEARER_SECRET, SIGNING_SECRET] });

const founded = await newOrganization(latchkey);
const { tenant_id } = founded.org;
const CLAIMS = { tenant_id, roles: ["developer"] };
const NOBODY = { tenant_id: "", roles: [], tenants: [] };

describe("our own form", () => {
  test("answers the current tenant with the roles in it, and all tenants", async () => {
    const user = orgUser(latchkey);
    expect((await askHook(latchkey, { sub: user.sub })).json).toEqual(NOBODY);
    const own = (await user.call("create", { name: "Zenith" })).json.result;
    const { token } = await invite(founded.owner, user.email, "developer");
    await user.call("invitations/accept", { token });
    const tenants = [
      { tenant_id, name: "Acme", roles: ["developer"] },
      { tenant_id: own.tenant_id, name: "Zenith", roles: ["owner"] },
    ];
    const { json, headers } = await askHook(latchkey, { sub: user.sub });
    expect(json).toEqual({ ...CLAIMS, tenants });
    expect(headers.get("cache-control")).toBe("no-store");
    await user.call("switch", { org_id: own.org_id });
    expect((await askHook(latchkey, { sub: user.sub })).json).toEqual({
      tenant_id: own.tenant_id,
      roles: ["owner"],
      tenants,
    });
    await founded.owner.call("members/remove", { user_id: user.sub });
    expect((await askHook(latchkey, { sub: user.sub })).json.tenants).toEqual(tenants.slice(1));
  });

  test("may name the issuer; an empty one is the configured one", async () => {
    const { sub } = founded.owner;
    for (const issuer of [undefined, "", latchkey.provider.issuer]) {
      expect((await askHook(latchkey, { sub, issuer })).json.tenant_id).toBe(tenant_id);
    }
    expect((await askHook(latchkey, { sub, issuer: "https://other.example" })).json).toEqual(NOBODY);
  });
});

describe.each(Object.entries(HOOK_PAYLOADS))("%s", (dialect, payload) => {
  const ADDED = {
    supabase: { claims: CLAIMS },
    okta: {
      commands: ["com.okta.identity.patch", "com.okta.access.patch"].map((type) => ({
        type,
        value: [
          { op: "add", path: "/claims/tenant_id", value: tenant_id },
          { op: "add", path: "/claims/roles", value: ["developer"] },
        ],
      })),
    },
    entra: { data: { actions: [{ claims: CLAIMS }] } },
    hydra: {
      session: { access_token: { ...CLAIMS, kept: 1 }, id_token: { ...CLAIMS, locale: "de" } },
    },
    zitadel: {
      append_claims: [
        { key: "tenant_id", value: tenant_id },
        { key: "roles", value: ["developer"] },
      ],
    },
  }[dialect];

  test("gets the tenant of a member in its own form", async () => {
    const member = await newMember(latchkey, founded, "developer");
    const { status, json } = await askHook(latchkey, payload(member.sub), `?dialect=${dialect}`);
    expect([status, json]).toMatchObject([200, ADDED]);
  });

  test("gets no claim for a user without a tenant, and keeps its own", async () => {
    const { status, json, text } = await askHook(latchkey, payload("nobody"), `?dialect=${dialect}`);
    expect(text).not.toMatch(/tenant_id|roles/);
    const KEPT = {
      supabase: { claims: { role: "authenticated", aal: "aal1" } },
      hydra: { session: { access_token: { kept: 1 }, id_token: { locale: "de" } } },
      zitadel: { append_claims: [] },
      entra: { data: { actions: [{ claims: {} }] } },
    }[dialect];
    expect([status, json]).toMatchObject(dialect === "okta" ? [204, {}] : [200, KEPT]);
  });
});

test("Supabase and Hydra, which send a token's claims back, do not get those of a removed member again", async () => {
  const { org, owner } = await newOrganization(latchkey);
  const member = await newMember(latchkey, { org, owner }, "admin");
  const before = { tenant_id: org.tenant_id, roles: ["admin"] };
  const supabase = { user_id: member.sub, claims: { sub: member.sub, ...before } };
  const session = { extra: before, id_token: { subject: member.sub, id_token_claims: { ext: before } } };
  const ask = async () => [
    (await askHook(latchkey, supabase, "?dialect=supabase")).json,
    (await askHook(latchkey, { session }, "?dialect=hydra")).json,
  ];
  expect(await ask()).toEqual([{ claims: supabase.claims }, { session: { access_token: before, id_token: before } }]);
  await owner.call("members/remove", { user_id: member.sub });
  expect(await ask()).toEqual([{ claims: { sub: member.sub } }, { session: { access_token: {}, id_token: {} } }]);
});

describe("a hook is known", () => {
  const body = JSON.stringify({ sub: founded.owner.sub });

  test.each([
    ["by its secret", { authorization: `Bearer ${BEARER_SECRET}` }],
    ["by the other secret", { authorization: `Bearer ${SIGNING_SECRET}` }],
    ["by a scheme in another case", { authorization: `bearer ${BEARER_SECRET}` }],
    ["by a plain header, as Okta sends it", { authorization: BEARER_SECRET }],
  ])("%s", async (_how, headers) => {
    expect((await askHook(latchkey, body, "", headers)).json.tenant_id).toBe(tenant_id);
  });

  test("by a signature of Standard Webhooks, also among others, and by one of Zitadel", async () => {
    const now = latchkey.clock.now();
    const signed = standardSignature(body, now);
    const among = `v1,AAAA, ${signed["webhook-signature"]}`;
    const fiveMinutes = new Date(now.getTime() - 295_000);
    for (const headers of [
      signed,
      { ...signed, "webhook-signature": among },
      standardSignature(body, fiveMinutes),
      zitadelSignature(body, now),
    ]) {
      expect((await askHook(latchkey, body, "", headers)).json.tenant_id).toBe(tenant_id);
    }
  });

  test("whatever the content type says", async () => {
    const headers = { authorization: `Bearer ${BEARER_SECRET}`, "content-type": "text/plain" };
    expect((await askHook(latchkey, body, "", headers)).status).toBe(200);
  });
});
