import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { ownIssuerOf } from "../config/own-issuer.ts";
import type { Admission } from "../domain/access/admission.ts";
import { type Authority, createAuthority } from "../domain/access/authority.ts";
import { type CheckProof, createProofCheck } from "../domain/access-tokens/proof.ts";
import type { ForeignKeys } from "../domain/key-formats/foreign-keys.ts";
import { createUsableOidc, type IsUsableOidc } from "../domain/keys/oidc.ts";
import { createDashboardLimit } from "../domain/limits/dashboard-user.ts";
import type { IsOwnIssuer } from "../domain/tokens/own-issuer.ts";
import { createErrorReporter, createErrorTranslator, type ErrorTranslator } from "../interceptors/errors.ts";
import type { Gate } from "../interceptors/gate/gate.ts";
import { createServiceGate, loadPolicies } from "../interceptors/index.ts";
import type { Policies } from "../interceptors/policies.ts";
import { proofVerifier } from "../store/jwks/proof-verifier.ts";
import { createAdmission } from "../store/limits/admission.ts";
import { cacheAccessTokens, cacheMemberships } from "../store/replicas/cached-reads.ts";
import { createSharedReads } from "../store/replicas/shared-reads.ts";
import { createUsedOnce } from "../store/sql/access-tokens/used-once.ts";
import { openForeignKeys } from "./foreign-keys.ts";
import { openRecorders, type Recorders } from "./recorders.ts";
import type { Setup } from "./setup.ts";
import type { Storage } from "./storage.ts";
import type { Tokens } from "./tokens.ts";
import type { Watch } from "./watch.ts";

/** Who calls, what they may do, and how often. */
export interface Access extends Tokens, Recorders {
  readonly authority: Authority;
  readonly admission: Admission;
  readonly foreignKeys: ForeignKeys;
  readonly policies: Policies;
  readonly gate: Gate;
  readonly checkProof: CheckProof;
  readonly translate: ErrorTranslator;
  readonly isOwnIssuer: IsOwnIssuer;
  readonly isUsableOidc: IsUsableOidc;
}

export function openAccess(setup: Setup, watch: Watch, storage: Storage, providers: Tokens): Access {
  const { config, clock, secrets } = setup;
  const { records, tenants } = storage;
  // That of the database, as for keys: a host whose clock is wrong harms no token.
  providers.useClock(storage.keyClock);
  const authority = createAuthority(config.access);
  const admission = createAdmission({
    keys: records.cache.inFrontOf(createSharedReads(storage.keys)),
    tenants,
    limiter: storage.limits.limiter,
    clock: storage.keyClock,
  });
  const foreignKeys = openForeignKeys(setup, watch, storage);
  const recorders = openRecorders(setup, watch, storage);
  const report = createErrorReporter(watch.conditions.error, storage.watch.failed);
  const translate = createErrorTranslator(report, config.docsUrl);
  const policies = loadPolicies(SERVICES);
  const checkProof = createProofCheck({
    // Without one there are no tokens that a proof could be sent with.
    issuer: config.accessTokens?.issuer ?? "",
    verifier: proofVerifier,
    usedOnce: createUsedOnce(storage.database),
  });
  const isOwnIssuer = ownIssuerOf(config);
  const isUsableOidc = createUsableOidc(isOwnIssuer);
  const gate = createServiceGate({
    ...providers,
    ...recorders,
    ...{ admission, foreignKeys },
    isUsableOidc,
    tokenIssuer: storage.tokenIssuer,
    checkProof,
    accessTokens: cacheAccessTokens(records.cache, storage.accessTokens, storage.ruleStates),
    tenants,
    memberships: cacheMemberships(records.cache, storage.orgs),
    tenantFromMembership: config.tenantFromMembership,
    rolesFromMembership: config.rolesFromMembership,
    authority,
    keyBrand: config.keyBrand,
    matchOperatorToken: secrets.matchOperatorToken,
    onOperatorToken: (token, { requestId: request_id, procedure }) =>
      watch.log.warn({ request_id, procedure, token }, "the operator's token is used"),
    dashboardLimit: createDashboardLimit(storage.limits.ofDashboardUsers, config.dashboardRequestsPerMinute),
    clock,
    policies,
    report,
    translate,
  });
  const decided = {
    authority,
    admission,
    foreignKeys,
    policies,
    gate,
    checkProof,
    translate,
    isOwnIssuer,
    isUsableOidc,
  };
  return { ...providers, ...recorders, ...decided };
}
