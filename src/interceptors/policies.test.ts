// promise: roles.denied, audit.actions, access.makes-nothing
import { create, type DescService, getOption, setExtension } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel, MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import { field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { describe, expect, test } from "vitest";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { AuditService, ListAuditEventsRequestSchema } from "../../gen/latchkey/v1/audit_service_pb.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { FederationService } from "../../gen/latchkey/v1/federation_service_pb.ts";
import { GatewayService } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import { ListTenantsEventsRequestSchema } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { OrgService } from "../../gen/latchkey/v1/org_service_pb.ts";
import { Caller, policy } from "../../gen/latchkey/v1/policy_pb.ts";
import { RequestService } from "../../gen/latchkey/v1/request_service_pb.ts";
import { ScopeService } from "../../gen/latchkey/v1/scope_service_pb.ts";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { TokenService } from "../../gen/latchkey/v1/token_service_pb.ts";
import { UsageService } from "../../gen/latchkey/v1/usage_service_pb.ts";
import { WebhookService } from "../../gen/latchkey/v1/webhook_service_pb.ts";
import { OPEN_RPCS, RPCS } from "../../test/harness/rpcs.ts";
import { createCatalogue } from "../domain/access/catalogue.ts";
import {
  ACCESS_DENIED,
  CHANGE_LOST,
  CHANGE_RESTORED,
  IMPORT_CALLED,
  USER_IMPERSONATED,
  WEBHOOK_DISABLED,
} from "../domain/audit/event.ts";
import { loadPolicies } from "./policies.ts";

const OWN_MEMBERSHIPS = ["CreateOrg", "ListOrgs", "SwitchOrg", "PreviewInvitation", "AcceptInvitation"];
const BACKEND_SERVICES: readonly DescService[] = [
  ...[AuditService, RequestService, UsageService, WebhookService, TokenService, FederationService],
];
/**
 * The RPCs that change something and that a token may call, each with the reason. An RPC comes here once somebody has made sure
 * that nothing which it makes gives access, sends events or spends after the token has ended.
 */
const CHANGES_BY_TOKENS = {
  SendMessage: "The message and its reply are content: they give no access, and one reply is all that follows.",
  CheckFederationAssertion:
    "It shows the checks of a workload's token. It issues nothing and does not use the token up.",
  TestWebhook: "It sends one event to a webhook that exists, before it answers, and keeps nothing of it.",
  RevokeToken: "A token revokes itself alone.",
};
const READS = MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
/** Of events that the service makes by itself, or of calls that are not admitted. */
const WITHOUT_CALL = [ACCESS_DENIED, CHANGE_LOST, CHANGE_RESTORED, IMPORT_CALLED, USER_IMPERSONATED, WEBHOOK_DISABLED];
const METHODS = SERVICES.flatMap((service) => service.methods);

/** The service with the options of its first method replaced. */
function withOptions(service: DescService, options: unknown): DescService {
  const [first, ...rest] = service.methods;
  const changed = { ...first, proto: { ...first?.proto, options } };
  return { ...service, methods: [changed, ...rest] } as unknown as DescService;
}

describe("the policies", () => {
  test("cover every RPC, each on a path of its own under /api/v1", () => {
    const policies = loadPolicies(SERVICES);
    expect([...policies.keys()]).toEqual(METHODS);
    const paths = [...policies.values()].map(({ path }) => path);
    expect(new Set(paths).size).toBe(METHODS.length);
    for (const path of paths) expect(path).toMatch(/^\/api\/v1\/[a-z/-]+$/);
  });

  test("are those of the RPCs that the contract tests cover", () => {
    const procedures = METHODS.map(({ parent, name }) => `/${parent.typeName}/${name}`);
    expect([...RPCS, ...OPEN_RPCS].map(({ procedure }) => procedure).sort()).toEqual(procedures.sort());
    const paths = [...loadPolicies(SERVICES).values()].map(({ path }) => path);
    expect([...RPCS, ...OPEN_RPCS].map(({ path }) => path).sort()).toEqual(paths.sort());
  });

  test("admit a secret key to the gateway, the audit trail, recent requests, usage, webhooks, tokens, federation rules, Verify and the list of scopes only", () => {
    for (const [method, { callers, scope }] of loadPolicies(SERVICES)) {
      const isGateway = method.parent === GatewayService;
      const isOpen = method.parent === AuthService || method.parent === ScopeService;
      const isForBackends = BACKEND_SERVICES.some((service) => service === method.parent);
      expect(callers.has("secret_key")).toBe(isGateway || isOpen || isForBackends);
      expect(scope?.startsWith("conversations:") ?? false).toBe(isGateway);
    }
  });

  test("need a scope of its domain for a path that begins with one, so that usage:read reads usage", () => {
    const domains = createCatalogue().scopes.map(({ name }) => name.split(":", 1)[0]);
    const walked = [...loadPolicies(SERVICES).values()].flatMap(({ path, scope, userScope }) => {
      const domain = path.split("/")[3]?.replaceAll("-", "_") ?? "";
      if (!domains.includes(domain)) return [];
      for (const each of [scope, userScope]) if (each !== null) expect(each.split(":", 1), path).toEqual([domain]);
      return [domain];
    });
    expect([...new Set(walked)].toSorted()).toEqual(["api_keys", "audit", "usage", "webhooks"]);
  });

  // threat: Q4
  test("admit a token to no RPC that changes something, but to these, of which nothing outlives the token", () => {
    const changing = [...loadPolicies(SERVICES)].filter(([{ idempotency }]) => idempotency !== READS);
    const admitting = changing.filter(([, { tokens }]) => tokens).map(([{ name }]) => name);
    expect(admitting.toSorted()).toEqual(Object.keys(CHANGES_BY_TOKENS).toSorted());
  });

  test("admit a token to each RPC that a secret key may call to read", () => {
    for (const [{ name, idempotency }, { callers, tokens }] of loadPolicies(SERVICES)) {
      if (idempotency === READS) expect(tokens, name).toBe(callers.has("secret_key"));
    }
  });

  test("make the tenant optional for the operator, the list of scopes, the caller's own memberships, and for verify, whose request decides", () => {
    const optional = [...loadPolicies(SERVICES)].filter(([, { tenantOptional }]) => tenantOptional);
    const paths = optional.map(([method]) => String(getOption(method, http).pattern.value));
    expect(paths.filter((path) => !path.startsWith("/api/v1/operator/"))).toEqual([
      "/api/v1/auth/verify",
      "/api/v1/orgs/create",
      "/api/v1/orgs/list",
      "/api/v1/orgs/switch",
      "/api/v1/orgs/invitations/preview",
      "/api/v1/orgs/invitations/accept",
      "/api/v1/scopes/list",
    ]);
  });

  test("admit former members only where they read and accept an invitation", () => {
    const admitting = [...loadPolicies(SERVICES)].filter(([, { formerMembers }]) => formerMembers);
    expect(admitting.map(([{ name }]) => name)).toEqual(["PreviewInvitation", "AcceptInvitation"]);
  });

  test("name an action of the audit trail where the RPC changes something, and no other action can be asked for", () => {
    const reads = /^(?:Get|List|Find|Check|Explain|Preview|TestWebhook|Redeliver)|^Verify$|^SendMessage$/;
    for (const [{ name }, { auditAction }] of loadPolicies(SERVICES)) {
      expect(auditAction === null, name).toBe(reads.test(name));
    }
    const actions = [...loadPolicies(SERVICES).values()].flatMap(({ auditAction }) => auditAction ?? []);
    for (const schema of [ListAuditEventsRequestSchema, ListTenantsEventsRequestSchema]) {
      const { type } = getOption(schema.field.action, rulesOption);
      expect(type.case === "string" && type.value.in).toEqual([...new Set([...actions, ...WITHOUT_CALL])].toSorted());
    }
  });

  test("name the scope that a user needs, or the reason for needing no scope", () => {
    const waived = METHODS.filter((method) => getOption(method, policy).userScopeWaiver !== "");
    expect(waived.map(({ name }) => name)).toEqual(["Verify", ...OWN_MEMBERSHIPS, "ListScopes"]);
    for (const [method, { callers, userScope }] of loadPolicies(SERVICES)) {
      expect(callers.has("dashboard_user") && !waived.includes(method), method.name).toBe(userScope !== null);
    }
  });

  test("that say neither, or both, prevent the server's start", () => {
    const [first] = OrgService.methods;
    if (first === undefined) throw new Error("OrgService has no method");
    const declared = getOption(first, policy);
    for (const [changes, problem] of [
      [{ userScope: "", userScopeWaiver: "" }, "must have either the scope that dashboard users need or a waiver"],
      [{ userScope: "plans:read", userScopeWaiver: "because" }, "must have either"],
      [{ userScope: "plans:reed", userScopeWaiver: "" }, "asks users for the unknown scope plans:reed"],
      [{ userScope: "*", userScopeWaiver: "" }, "asks users for the unknown scope *"],
      [{ callers: [Caller.SECRET_KEY] }, "admits no user"],
      [{ tokens: true }, "admits access tokens, and so must admit secret keys"],
    ] as const) {
      const options = create(MethodOptionsSchema);
      setExtension(options, http, getOption(first, http));
      setExtension(options, policy, { ...declared, ...changes, callers: [...(changes.callers ?? declared.callers)] });
      expect(() => loadPolicies([withOptions(OrgService, options)])).toThrow(problem);
    }
  });

  test("an RPC without a policy prevents the server's start", () => {
    expect(() => loadPolicies([withOptions(OrgService, undefined)])).toThrow("CreateOrg declares no");
  });
});
