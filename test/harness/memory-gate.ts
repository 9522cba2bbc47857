import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { createAuthority } from "../../src/domain/access/authority.ts";
import type { CredentialHeaders } from "../../src/domain/access/credentials.ts";
import { createSecretMatch } from "../../src/domain/access/secrets.ts";
import { type CheckProof, createProofCheck } from "../../src/domain/access-tokens/proof.ts";
import type { UsedOnce } from "../../src/domain/access-tokens/used-once.ts";
import type { NewAccessToken } from "../../src/domain/credentials/access-token.ts";
import type { KeyRecord, OidcConfig } from "../../src/domain/credentials/key.ts";
import { hashSecret, makeSecret } from "../../src/domain/credentials/secret.ts";
import { createForeignKeys } from "../../src/domain/key-formats/foreign-keys.ts";
import type { KeyFormat } from "../../src/domain/key-formats/key-format.ts";
import { createUsableOidc } from "../../src/domain/keys/oidc.ts";
import type { RecentRequest } from "../../src/domain/requests/recent-request.ts";
import { createOwnIssuer } from "../../src/domain/tokens/own-issuer.ts";
import type { UseFailure } from "../../src/domain/usage/uses.ts";
import type { Call } from "../../src/interceptors/call.ts";
import { createErrorTranslator } from "../../src/interceptors/errors.ts";
import { createServiceGate, type ServiceGateContext } from "../../src/interceptors/gate/service-gate.ts";
import { loadPolicies } from "../../src/interceptors/policies.ts";
import { proofVerifier } from "../../src/store/jwks/proof-verifier.ts";
import { createAdmission } from "../../src/store/limits/admission.ts";
import { createMemoryLimiter } from "../../src/store/limits/memory-limiter.ts";
import {
  generateKey,
  ISSUER,
  START_S,
  signToken,
  startKeyServer,
  startVerifier,
  validClaims,
} from "../jwks/provider.ts";
import { newKey } from "../store/records.ts";
import { accessRules } from "./access-rules.ts";
import { ACT } from "./act.ts";
import { NO_SUSPENSION } from "./memory-admission.ts";
import { createMemoryKeys } from "./memory-keys.ts";
import { startMemoryTokens } from "./memory-tokens.ts";
import { createMemoryUsedOnce } from "./memory-used-once.ts";
import { newAccessToken } from "./new-access-token.ts";
import { OPERATOR_TOKEN } from "./operator.ts";
import { TOKEN_ISSUER } from "./token-settings.ts";

const PLATFORM_KEY = generateKey("ES256", { kid: "platform-key" });
const USER_KEY = generateKey("ES256", { kid: "user-key" });
const PLATFORM = "https://platform.example";
/** The time of the gate, which stands still. */
export const START = new Date(START_S * 1_000);
export const OIDC = { issuer: ISSUER, audience: "app", userIdClaim: "sub", requiredClaims: {} };

/**
 * The gate with keys and limits in memory, and the verifier of users' tokens with two providers on loopback: the
 * dashboard's and that of the customers' apps. Closed after the test. `change` replaces parts of it.
 */
export async function startGate(change: (ctx: ServiceGateContext) => Partial<ServiceGateContext> = () => ({})) {
  const [platform, app] = await Promise.all([startKeyServer(PLATFORM_KEY.jwk), startKeyServer(USER_KEY.jwk)]);
  const { verifier } = startVerifier({ allowed: [platform.host, app.host] });
  const keys = createMemoryKeys();
  const clock = () => START;
  const formats: KeyFormat[] = [];
  const peppers = new Map<string, string>();
  const own = await startMemoryTokens(clock);
  const uses: { keyId: string; failure: UseFailure | undefined; at: Date }[] = [];
  const reported: unknown[] = [];
  const refusals: Parameters<ServiceGateContext["refusals"]["record"]>[0][] = [];
  const impersonations: { at: Date; requestId: string; onBehalfOf: string | null }[] = [];
  const recorded: RecentRequest[] = [];
  const operatorUses: { position: number; requestId: string }[] = [];
  const report = (err: unknown) => void reported.push(err);
  const policies = loadPolicies(SERVICES);
  const expectation = { issuer: PLATFORM, audience: "dashboard", jwksUrl: platform.url };
  const parts: ServiceGateContext = {
    admission: createAdmission({
      keys,
      tenants: NO_SUSPENSION,
      limiter: createMemoryLimiter(clock),
      clock,
    }),
    tokens: verifier,
    isUsableOidc: createUsableOidc(createOwnIssuer({ issuer: TOKEN_ISSUER, host: "127.0.0.1", ports: [] })),
    tokenIssuer: own.issuer,
    accessTokens: own,
    checkProof: proofCheck(createMemoryUsedOnce()),
    dashboard: {
      expectation: { ...expectation, jwksOwner: { kind: "operator" } },
      userIdClaim: "sub",
      tenantClaim: "tenant_id",
      requiredClaims: {},
    },
    tenants: NO_SUSPENSION,
    memberships: { findMemberships: async () => ({ memberships: [] }) },
    tenantFromMembership: false,
    rolesFromMembership: false,
    foreignKeys: createForeignKeys({ readFormats: () => ({ formats }), peppers: () => peppers }),
    keyBrand: null,
    authority: createAuthority(accessRules()),
    matchOperatorToken: createSecretMatch([OPERATOR_TOKEN]),
    onOperatorToken: (position, { requestId }) => void operatorUses.push({ position, requestId }),
    dashboardLimit: null,
    clock,
    report,
    translate: createErrorTranslator(report),
    policies,
    refusals: { record: (refused) => void refusals.push(refused) },
    impersonations: {
      hasRoom: () => true,
      record: (at, { requestId }, { onBehalfOf }) => void impersonations.push({ at, requestId, onBehalfOf }),
    },
    requestRecorder: {
      isOn: true,
      samples: () => true,
      record: (request) => void recorded.push(request),
    },
    usage: {
      count: (keyId, use) => uses.push({ keyId, ...use }) === 1,
    },
  };
  const ctx: ServiceGateContext = { ...parts, ...change(parts) };

  async function storeKey(fields: Partial<KeyRecord> = {}) {
    const secret = makeSecret(fields.type ?? "secret");
    const { record } = newKey(fields);
    await keys.insertKey({ record, secretHash: hashSecret(secret) }, ACT);
    return { secret, key: record };
  }

  /** Stores a key that another system has issued. */
  async function importKey(secret: string) {
    const secretHash = await ctx.foreignKeys.hashOf(secret);
    if (secretHash === undefined) throw new Error("the text fits no format");
    const { record } = newKey({ permissions: ["conversations:read"] });
    await keys.insertKey({ record, secretHash }, ACT);
    return record;
  }

  return {
    ctx,
    gate: createServiceGate(ctx),
    /** What keys of other systems look like, and their peppers; for the test to change before the first such key. */
    formats,
    peppers,
    importKey,
    /** The uses that were counted. */
    uses,
    /** The refused calls that were recorded. */
    refusals,
    /** The calls for users that were recorded. */
    impersonations,
    /** The requests that were recorded. */
    recorded,
    /** The uses of the operator's token that were reported. */
    operatorUses,
    /** The errors that were reported to the log. */
    reported,
    /** The RPC of a path. */
    methodOf(path: string) {
      const found = [...policies].find(([, policy]) => policy.path === path);
      if (found === undefined) throw new Error(`no RPC at ${path}`);
      return found[0];
    },
    storeKey,
    /** Issues a token for a key. Its record can be changed by `changeToken`. */
    issueToken: (key: KeyRecord, secret: string, fields: Partial<NewAccessToken> = {}) =>
      own.issue(
        newAccessToken({
          ...{ keyId: key.keyId, tenantId: key.tenantId, secretHash: hashSecret(secret), scopes: key.permissions },
          expiresAt: new Date(START.getTime() + 900_000),
          ...fields,
        }),
      ),
    changeToken: own.change,
    setRuleOff: own.setRuleOff,
    /** A publishable key whose users sign in at the apps' provider. */
    storePublishableKey(oidc: Partial<OidcConfig> = {}, fields: Partial<KeyRecord> = {}) {
      const complete = { ...OIDC, jwksUrl: app.url, ...oidc };
      return storeKey({ type: "publishable", permissions: ["conversations:read"], oidc: complete, ...fields });
    },
    userToken: (claims: Record<string, unknown> = {}, signer = USER_KEY, header?: Record<string, unknown>) =>
      signToken(signer, validClaims(claims), header),
    dashboardToken: (claims: Record<string, unknown> = {}) =>
      signToken(PLATFORM_KEY, validClaims({ iss: PLATFORM, aud: "dashboard", tenant_id: "ten_1", ...claims })),
  };
}

/** The check of proofs that the service has. */
export function proofCheck(usedOnce: UsedOnce): CheckProof {
  return createProofCheck({ issuer: TOKEN_ISSUER, verifier: proofVerifier, usedOnce });
}

/** A request with these credentials. */
export function newCall(credentials: Partial<CredentialHeaders> = {}): Call {
  return {
    requestId: "req_1",
    credentials: { apiKey: [], authorization: [], onBehalfOf: [], dpop: [], ...credentials },
    address: "192.0.2.1",
    origin: null,
    isFromBrowser: false,
  };
}
