// promise: audit.committed, audit.content, audit.pages
import { describe, expect, test } from "vitest";
import { allEvents, eventsOf, trail } from "../harness/audit.ts";
import { dashboardOf, instant, PUBLISHABLE } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { invite, newMember, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const USER = {
  kind: "dashboard_user",
  user_id: "user-1",
  issuer: latchkey.provider.issuer,
  key_id: "",
  operator_token: 0,
};
const OPERATOR_ACTOR = { kind: "operator", user_id: "", issuer: "", key_id: "", operator_token: 1 };

describe("each change has one event", () => {
  test("of a key, with what changed", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id, key } = await dashboard.createKey({ name: "backend", permissions: ["plans:read"] });
    await dashboard.result("update", { key_id, name: "new", description: "why", update_mask: "name,description" });
    await dashboard.result("disable", { key_id });
    await dashboard.result("enable", { key_id });
    const successor = await dashboard.result("rotate", { key_id, grace_period_hours: 1 });
    await dashboard.result("revoke", { key_id });
    const events = await eventsOf(latchkey, dashboard.tenant);
    expect(trail(events)).toEqual(
      ["created", "updated", "disabled", "enabled", "rotated", "revoked"].map((verb) => [`api_key.${verb}`, key_id]),
    );
    const [revoked, rotated, enabled, , updated, created] = events.map(({ changes }) => changes);
    expect(created).toMatchObject({ name: { new: "backend" }, permissions: { new: ["plans:read"] } });
    expect(updated).toEqual({ name: { old: "backend", new: "new" }, description: { old: "", new: "why" } });
    expect(enabled).toEqual({ disabled_at: { old: INSTANT, new: null } });
    expect(rotated).toEqual({
      expires_at: { old: null, new: INSTANT },
      rotated_to: { old: null, new: successor.key_id },
    });
    expect(revoked).toEqual({ revoked_at: { old: null, new: INSTANT } });
    expect(JSON.stringify(events)).not.toContain(key.slice(3, 20));
  });

  test("of an organization, its members and invitations, without an email address", async () => {
    const { org, owner } = await newOrganization(latchkey);
    await owner.call("update", { name: "Acme 2" });
    await owner.call("switch", { org_id: org.org_id });
    const member = await newMember(latchkey, { org, owner }, "developer");
    await owner.call("members/set-role", { user_id: member.sub, role: "viewer" });
    await owner.call("members/remove", { user_id: member.sub });
    const { invitation_id } = await invite(owner, "jo@example.com");
    await owner.call("invitations/revoke", { invitation_id });
    const { json, text } = await owner.call("/api/v1/audit/list");
    const accepted = json.events.find(({ action }: { action: string }) => action === "org.invitation.accepted");
    expect(trail(json.events)).toEqual([
      ["org.created", org.org_id],
      ["org.updated", org.org_id],
      ["org.switched", org.org_id],
      ["org.invitation.created", accepted.target_id],
      ["org.invitation.accepted", accepted.target_id],
      ["org.member.role_set", member.sub],
      ["org.member.removed", member.sub],
      ["org.invitation.created", invitation_id],
      ["org.invitation.revoked", invitation_id],
    ]);
    const [, , removed, roleSet] = json.events;
    expect(roleSet.changes).toEqual({ role: { old: "developer", new: "viewer" } });
    expect(removed.changes).toMatchObject({ role: { old: "viewer" }, user_id: { old: member.sub } });
    expect(accepted.actor.user_id).toBe(member.sub);
    expect(text).not.toContain("@example.com");
  });

  test("by the operator, who is named as such to the tenant", async () => {
    const operator = operatorOf(latchkey);
    const { tenant } = dashboardOf(latchkey);
    const key = { tenant_id: tenant, name: "first", permissions: ["plans:read"] };
    const { key_id } = await operator.result("keys/create", key);
    for (const verb of ["disable", "enable", "revoke"] as const) await operator.result(`keys/${verb}`, { key_id });
    await operator.result("tenants/suspend", { tenant_id: tenant, reason: "not for the tenant" });
    await operator.result("tenants/resume", { tenant_id: tenant });
    const events = await eventsOf(latchkey, tenant);
    expect(trail(events)).toEqual([
      ...["created", "disabled", "enabled", "revoked"].map((verb) => [`api_key.${verb}`, key_id]),
      ["tenant.suspended", tenant],
      ["tenant.resumed", tenant],
    ]);
    for (const { actor } of events) expect(actor).toEqual(OPERATOR_ACTOR);
    expect(JSON.stringify(events)).not.toContain("not for the tenant");
  });

  test("and a call that changes nothing has none", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ name: "same" });
    for (let n = 0; n < 3; n++) await dashboard.result("revoke", { key_id });
    await dashboard.call("update", { key_id, name: "late", update_mask: "name" });
    await dashboard.call("rotate", { key_id });
    await dashboard.call("get", { key_id });
    await operatorOf(latchkey).result("tenants/resume", { tenant_id: dashboard.tenant });
    expect(trail(await eventsOf(latchkey, dashboard.tenant))).toEqual([
      ["api_key.created", key_id],
      ["api_key.revoked", key_id],
    ]);
  });
});

describe("an event", () => {
  test("says who, when, from where, and in which request and trace", async () => {
    const dashboard = dashboardOf(latchkey);
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const headers = {
      ...(await latchkey.dashboard(dashboard.tenant)),
      "x-request-id": "my-request",
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    };
    const { key_id } = await latchkey.createKey(headers, PUBLISHABLE);
    const [event] = await eventsOf(latchkey, dashboard.tenant);
    expect(event).toEqual({
      event_id: expect.stringMatching(/^aud_[0-9a-f]{32}$/),
      at: INSTANT,
      actor: USER,
      action: "api_key.created",
      target_id: key_id,
      changes: expect.objectContaining({ key_type: { new: "publishable" } }),
      address: "127.0.0.1",
      request_id: "my-request",
      trace_id: traceId,
    });
    expect(Math.abs(Date.parse(event?.at) - Date.now())).toBeLessThan(60_000);
  });

  test("is the same on the record of the key and in the access log", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    expect(await dashboard.result("get", { key_id })).toMatchObject({ created_by: USER });
    const headers = { ...(await latchkey.dashboard(dashboard.tenant)), "x-request-id": `revoke-${key_id}` };
    const { json } = await latchkey.call("/api/v1/api-keys/revoke", { key_id }, headers);
    expect(json.result).toMatchObject({ created_by: USER, revoked_by: USER });
    const line = latchkey.logLines.find((one) => one.includes(`revoke-${key_id}`));
    expect(JSON.parse(line ?? "{}")).toMatchObject({ target_id: key_id, user_id: "user-1" });
    const successor = await dashboard.createKey();
    const rotated = await dashboard.result("rotate", { key_id: successor.key_id });
    expect(await dashboard.result("get", { key_id: rotated.key_id })).toMatchObject({ created_by: USER });
    await operatorOf(latchkey).result("keys/revoke", { key_id: rotated.key_id });
    expect(await dashboard.result("get", { key_id: rotated.key_id })).toMatchObject({ revoked_by: OPERATOR_ACTOR });
  });
});

describe("the list", () => {
  test("is newest first, and its pages have each event once, while others are added", async () => {
    const dashboard = dashboardOf(latchkey);
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) ids.push((await dashboard.createKey()).key_id);
    const seen: string[] = [];
    let page_token = "";
    do {
      const headers = await latchkey.dashboard(dashboard.tenant);
      const { json } = await latchkey.call("/api/v1/audit/list", { page_token, per_page: 3 }, headers);
      seen.push(...json.events.map(({ target_id }: { target_id: string }) => target_id));
      page_token = json.next_page_token;
      await dashboard.createKey();
    } while (page_token !== "");
    expect(seen).toEqual(ids.toReversed());
  });

  test("of a page that has just all events names no next one", async () => {
    const dashboard = dashboardOf(latchkey);
    for (let n = 0; n < 2; n++) await dashboard.createKey();
    const headers = await latchkey.dashboard(dashboard.tenant);
    const { json } = await latchkey.call("/api/v1/audit/list", { per_page: 2 }, headers);
    expect([json.events.length, json.next_page_token]).toEqual([2, ""]);
  });

  test("is filtered by action, target, actor and time", async () => {
    const dashboard = dashboardOf(latchkey);
    const [one, two] = [await dashboard.createKey(), await dashboard.createKey()];
    await dashboard.result("disable", { key_id: one.key_id });
    await operatorOf(latchkey).result("keys/revoke", { key_id: two.key_id });
    const actions = async (body: object) => trail(await eventsOf(latchkey, dashboard.tenant, body));
    expect(await actions({ action: "api_key.disabled" })).toEqual([["api_key.disabled", one.key_id]]);
    expect(await actions({ target_id: two.key_id })).toEqual([
      ["api_key.created", two.key_id],
      ["api_key.revoked", two.key_id],
    ]);
    expect(await actions({ actor_id: "operator" })).toEqual([["api_key.revoked", two.key_id]]);
    expect(await actions({ actor_id: "user-1" })).toHaveLength(3);
    const [last] = await eventsOf(latchkey, dashboard.tenant);
    expect(await actions({ from: last?.at })).toEqual([["api_key.revoked", two.key_id]]);
    expect(await actions({ to: last?.at })).toHaveLength(3);
    expect(await actions({ from: instant(latchkey, 3_600_000) })).toEqual([]);
  });

  test("has the events of one request, and the log the scope that its caller lacked", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key } = await dashboard.createKey({ permissions: ["plans:read"] });
    const headers = { "x-api-key": key, "x-request-id": "req_of_one_refused_call" };
    const denied = await latchkey.call("/api/v1/audit/list", {}, headers);
    expect(denied.json.denial_reason).toBe("insufficient_scope");
    const line = () =>
      latchkey.logLines.find((each) => each.includes(`"request_id":"req_of_one_refused_call"`)) ?? "{}";
    await expect
      .poll(() => JSON.parse(line()))
      .toMatchObject({
        denial_reason: "insufficient_scope",
        scope: "audit:read",
      });
    const [created] = await eventsOf(latchkey, dashboard.tenant);
    const { request_id } = created ?? {};
    expect(await eventsOf(latchkey, dashboard.tenant, { request_id })).toEqual([created]);
    expect(await allEvents(latchkey, { request_id })).toMatchObject([{ event_id: created?.event_id }]);
    expect(await eventsOf(latchkey, dashboard.tenant, { request_id: "req_of_none" })).toEqual([]);
  });

  test("can be read by a secret key with the scope", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ permissions: ["audit:read"] });
    const { json } = await latchkey.call("/api/v1/audit/list", {}, { "x-api-key": key });
    expect(trail(json.events)).toEqual([["api_key.created", key_id]]);
  });

  test("has the same events for the operator", async () => {
    const dashboard = dashboardOf(latchkey);
    await dashboard.createKey();
    const [own] = await eventsOf(latchkey, dashboard.tenant);
    const all = await allEvents(latchkey, { tenant_id: dashboard.tenant });
    expect(all).toEqual([{ ...own, tenant_id: dashboard.tenant }]);
  });
});
