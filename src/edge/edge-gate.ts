import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import type { EdgeSettings } from "../../gen/latchkey/v1/edge_service_pb.ts";
import { type Authority, createAuthority } from "../domain/access/authority.ts";
import { createCatalogue } from "../domain/access/catalogue.ts";
import type { FactSources } from "../domain/access/decide.ts";
import type { ProtectedResource } from "../domain/access/protected-resource.ts";
import { hashForeign } from "../domain/key-formats/compiled.ts";
import { createForeignKeys } from "../domain/key-formats/foreign-keys.ts";
import { hasPepper } from "../domain/key-formats/key-format.ts";
import type { Peppers } from "../domain/key-formats/peppers.ts";
import { isCompleteOidc } from "../domain/keys/oidc.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
import { DENIALS } from "../domain/vocabulary/denial.ts";
import { StoreUnavailable } from "../domain/vocabulary/store-unavailable.ts";
import type { Call } from "../interceptors/call.ts";
import { createErrorTranslator, type ErrorTranslator } from "../interceptors/errors.ts";
import { createGate, type Gate } from "../interceptors/gate/gate.ts";
import { given, type KeyContext, loadKey, loadUserOfKey, spendKey } from "../interceptors/gate/keys.ts";
import { loadPolicies } from "../interceptors/policies.ts";
import { createAdmission } from "../store/limits/admission.ts";
import type { EdgeRecords } from "./records.ts";
import type { Reports } from "./reports.ts";
import type { EdgeLimiter } from "./slices.ts";

export interface EdgeGateContext {
  readonly settings: EdgeSettings;
  readonly records: EdgeRecords;
  readonly limiter: EdgeLimiter;
  readonly reports: Reports;
  readonly clock: Clock;
  readonly onError: (err: unknown) => void;
}

/** The gate of the service, with an edge's records. It is for calls with keys: put no other to it. */
export interface EdgeGate {
  readonly gate: Gate;
  readonly authority: Authority;
  readonly translate: ErrorTranslator;
  /** The upstream of the proxies that ask the service, as a resource of OAuth. Null: no resource. */
  readonly resource: ProtectedResource | null;
  /**
   * Whether a call that was refused was denied, with what is left of its limit. Else it was a fault of the question, or of what is asked
   * for records and budgets: the service must be asked.
   */
  isVerdict(call: Call): boolean;
}

export function createEdgeGate(ctx: EdgeGateContext): EdgeGate {
  const { settings, records, limiter, reports, clock } = ctx;
  const authority = createAuthority({
    catalogue: createCatalogue(settings.ownScopes),
    rolesClaim: null,
    roles: new Map(),
    operatorTenant: settings.operatorTenant || null,
  });
  const translate = createErrorTranslator((err) => {
    if (!(err instanceof Error) || !KNOWN_ERRORS.has(err.name)) ctx.onError(err);
  });
  /** Denied calls of which it is not known what is left of their limit: the service may know it. */
  const withoutLimit = new WeakSet<object>();
  const admission = createAdmission({ keys: records.keys, tenants: records.tenants, limiter, clock });
  const foreignKeys = createForeignKeys({
    readFormats: records.readFormats,
    peppers: () => NO_PEPPERS,
    hash: (format, text) =>
      hasPepper(format.format.algorithm) ? records.hashPeppered(format, text) : hashForeign(format, text),
  });
  const keys: KeyContext = {
    ...{ admission, foreignKeys },
    tokens: records.tokens,
    // The service sends only those that can be used.
    isUsableOidc: isCompleteOidc,
    authority,
    keyBrand: settings.keyBrand || null,
    proveSender: async () => {
      throw new StoreUnavailable("the service remembers which proofs were used");
    },
  };
  const sources: FactSources<Call> = {
    rolesWith: authority.rolesWith,
    loadRecord(facts) {
      const credentials = given(facts);
      if (credentials.kind !== "api_key") throw new StoreUnavailable("the service knows callers without keys");
      return loadKey(keys, facts, credentials.secret);
    },
    loadUser: (facts) => loadUserOfKey(keys, facts),
    spend: (facts) => spendKey(keys, facts),
    hasRoom: reports.impersonations.hasRoom,
  };
  const gate = createGate(sources, {
    ...{ admission, foreignKeys },
    clock,
    policies: loadPolicies([AuthService]),
    usage: reports.usage,
    // Verify changes nothing that the trail is for.
    refusals: { record: () => {} },
    impersonations: reports.impersonations,
    requestRecorder: reports.requestRecorder,
    report: (_, call) => void withoutLimit.add(call),
    translate,
  });
  return {
    gate,
    authority,
    translate,
    resource: settings.resource ?? null,
    isVerdict(call) {
      const { denial } = call;
      return denial !== undefined && DENIALS[denial.reason].code !== "internal" && !withoutLimit.has(call);
    },
  };
}

/** They do not leave the service. */
const NO_PEPPERS: Peppers = new Map();

/** Verdicts that decide something, or say that a dependency is unavailable. */
const KNOWN_ERRORS: ReadonlySet<string> = new Set(["Denial", "RequestFault", "StoreUnavailable", "ConnectError"]);
