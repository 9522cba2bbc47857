import type { Client } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import type { EdgeService, ResolveResponse } from "../../gen/latchkey/v1/edge_service_pb.ts";
import type { FoundKey } from "../domain/credentials/key.ts";
import { RULES } from "../domain/edges/rules.ts";
import type { ReadKeyFormats } from "../domain/key-formats/format-store.ts";
import type { KeyFormatList } from "../domain/key-formats/key-format.ts";
import type { KeyStore } from "../domain/keys/key-store.ts";
import { isCompleteOidc } from "../domain/keys/oidc.ts";
import { expectationText, tokenExpectation } from "../domain/keys/oidc-expectation.ts";
import type { TenantState } from "../domain/tenants/tenant.ts";
import type { TenantStates } from "../domain/tenants/tenant-store.ts";
import type { TokenExpectation } from "../domain/tokens/claims.ts";
import { asBearer, type CheckSender, confirmedKey } from "../domain/tokens/confirmation.ts";
import { requireAll } from "../domain/tokens/token-check.ts";
import { TOKEN_CHECKS } from "../domain/tokens/token-checks.ts";
import type { TokenVerifier } from "../domain/tokens/token-verifier.ts";
import { after } from "../domain/vocabulary/awaitable.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
import { StoreUnavailable } from "../domain/vocabulary/store-unavailable.ts";
import { parseCompactToken, parseJsonObject, payloadText } from "../store/jwks/compact-token.ts";
import { digestOf, type KnownToken } from "../store/jwks/verified-tokens.ts";
import { cacheKeyFormats, cacheTenants } from "../store/replicas/cached-reads.ts";
import type { Subject } from "../store/replicas/invalidation.ts";
import type { RecordCache } from "../store/replicas/record-cache.ts";
import { createSharedReads } from "../store/replicas/shared-reads.ts";
import { FORMATS_SUBJECT, tenantSubject } from "../store/replicas/subjects.ts";
import { fromEdgeDenial, fromEdgeFormats, fromEdgeKey } from "./messages.ts";
import { createPepperedKeys, type HashPeppered, type PepperedHash } from "./peppered-keys.ts";

export interface RecordsContext {
  readonly client: Pick<Client<typeof EdgeService>, "resolve">;
  readonly edgeId: () => string;
  readonly cache: RecordCache;
  readonly clock: Clock;
}

/** What an edge decides by: from its cache, or from the service. */
export interface EdgeRecords {
  readonly keys: Pick<KeyStore, "findKeyBySecretHash">;
  readonly tenants: TenantStates;
  readonly readFormats: ReadKeyFormats;
  readonly hashPeppered: HashPeppered;
  readonly tokens: Pick<TokenVerifier, "verify">;
  /** Forgets the tokens that were verified: another stream may be of a service with other providers. */
  clear(): void;
}

/** For one answer of the service. Then the call is put to the service itself, which has a time limit of its own. */
const RESOLVE_MS = 2_000;
/** After which a verified token is verified again, so that it ends with its issuer's key. */
const VERIFIED_MS = 60_000;
const TOKENS_MAX = 20_000;
/** Configurations of publishable keys by which tokens are checked. */
const EXPECTATIONS_MAX = 20_000;

/**
 * An edge's clock lags behind the database's by what a lease took to arrive, and that of its replica by what a look took: less than a
 * lease each, or the edge may not decide. Whether a key that ends within that has ended, only the service knows.
 */
const ENDING_MS = 6_000;

/** A question to the service. */
type Asked = NonNullable<Parameters<RecordsContext["client"]["resolve"]>[0]["subject"]>;

interface VerifiedToken extends KnownToken {
  readonly untilMs: number;
}

export function createEdgeRecords({ client, edgeId, cache, clock }: RecordsContext): EdgeRecords {
  /** The key whose configuration it is. */
  const keyOf = new LRUCache<string, string>({ max: EXPECTATIONS_MAX });
  const verified = new LRUCache<string, VerifiedToken>({ max: TOKENS_MAX });

  async function resolve(subject: Asked): Promise<ResolveResponse> {
    try {
      return await client.resolve({ edgeId: edgeId(), subject, rules: RULES }, { timeoutMs: RESOLVE_MS });
    } catch (err) {
      throw new StoreUnavailable(err);
    }
  }

  /** Drops records that may not be kept: their note is taken back before the read ends. */
  async function readRecord(about: Subject, subject: Asked): Promise<ResolveResponse["record"]> {
    const { record, mayKeep } = await resolve(subject);
    if (!mayKeep) cache.drop(about);
    return record;
  }

  async function readKey(secretHash: string): Promise<FoundKey | undefined> {
    const record = await readRecord(secretHash, { case: "secretHash", value: secretHash });
    if (record.case === "missing") return undefined;
    if (record.case !== "key") throw new StoreUnavailable("the service has sent another record than that of a key");
    const key = fromEdgeKey(record.value);
    if (isCompleteOidc(key.oidc)) keyOf.set(expectationText(tokenExpectation(key.tenantId, key.oidc)), secretHash);
    return key;
  }

  function checked(key: FoundKey | undefined): FoundKey | undefined {
    if (key?.expiresAt == null) return key;
    const leftMs = key.expiresAt.getTime() - clock().getTime();
    if (leftMs > 0 && leftMs <= ENDING_MS) throw new StoreUnavailable("the key ends now");
    return key;
  }

  async function readTenant(tenantId: string): Promise<TenantState> {
    const record = await readRecord(tenantSubject(tenantId), { case: "tenantId", value: tenantId });
    if (record.case !== "tenantSuspended") throw new StoreUnavailable("there is a state of each tenant");
    return { isSuspended: record.value };
  }

  async function readFormats(): Promise<KeyFormatList> {
    const record = await readRecord(FORMATS_SUBJECT, { case: "keyFormats", value: true });
    if (record.case !== "keyFormats") throw new StoreUnavailable("there is a list of formats");
    return fromEdgeFormats(record.value);
  }

  async function askForHash(text: string): Promise<PepperedHash> {
    const { record, mayKeep } = await resolve({ case: "pepperedKey", value: text });
    if (record.case !== "secretHash") throw new StoreUnavailable("the service does not know the format of the key");
    return { secretHash: record.value, mayKeep };
  }

  async function verify(text: string, expected: TokenExpectation, checkSender: CheckSender = asBearer) {
    if (checkSender !== asBearer) throw new StoreUnavailable("the service remembers which proofs were used");
    const by = expectationText(expected);
    const place = `${digestOf(text)} ${by}`;
    const nowMs = clock().getTime();
    const known = verified.get(place);
    const token = known !== undefined && nowMs < known.untilMs ? known : await verifyAnew(text, by);
    const claims = parseJsonObject(token.payload);
    if (claims === undefined) throw new StoreUnavailable("the service has verified a token without claims");
    requireAll(TOKEN_CHECKS, { claims, kind: token.kind, nowS: nowMs / 1_000 }, expected);
    checkSender(confirmedKey(claims));
    if (token !== known) verified.set(place, { ...token, untilMs: nowMs + VERIFIED_MS });
    return claims;
  }

  async function verifyAnew(text: string, by: string): Promise<KnownToken> {
    const secretHash = keyOf.get(by);
    if (secretHash === undefined) throw new StoreUnavailable("the key of the token's configuration is not known");
    const { record } = await resolve({ case: "userToken", value: { secretHash, token: text } });
    // The service has checked the token by another configuration than this record of the key has.
    if (record.case !== "token" || record.value.expected !== by)
      throw new StoreUnavailable("the key was changed meanwhile");
    if (record.value.denial !== undefined) throw fromEdgeDenial(record.value.denial);
    const token = parseCompactToken(text);
    const payload = payloadText(token);
    if (payload === undefined) throw new StoreUnavailable("the service has verified a token without claims");
    return { payload, kind: token.kind };
  }

  const cached = cache.inFrontOf(createSharedReads({ findKeyBySecretHash: readKey }));
  return {
    keys: {
      findKeyBySecretHash(secretHash) {
        return after(cached.findKeyBySecretHash(secretHash), checked);
      },
    },
    tenants: cacheTenants(cache, { findTenant: readTenant }),
    readFormats: cacheKeyFormats(cache, { readFormats }),
    hashPeppered: createPepperedKeys(askForHash),
    tokens: { verify },
    clear: () => verified.clear(),
  };
}
