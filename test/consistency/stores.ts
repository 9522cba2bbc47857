import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import { keyStatus } from "../../src/domain/credentials/status.ts";
import { changeKey, UNCHANGED } from "../../src/domain/keys/change.ts";
import { decideDisable } from "../../src/domain/keys/disable.ts";
import { decideEnable } from "../../src/domain/keys/enable.ts";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import { decideRevoke } from "../../src/domain/keys/revoke.ts";
import { rotateKey } from "../../src/domain/keys/rotate.ts";
import { resumeTenant, suspendTenant } from "../../src/domain/tenants/suspend.ts";
import { createAdmission } from "../../src/store/limits/admission.ts";
import { createMemoryLimiter } from "../../src/store/limits/memory-limiter.ts";
import { cacheAccessTokens, cacheTenants } from "../../src/store/replicas/cached-reads.ts";
import type { Committed, Invalidation, Subject } from "../../src/store/replicas/invalidation.ts";
import { type Clocks, createLease, OWN_CLOCKS } from "../../src/store/replicas/lease.ts";
import { type Replica, startReplica } from "../../src/store/replicas/replica.ts";
import type { ReplicaTable } from "../../src/store/replicas/replica-table.ts";
import { createRoster, type Roster, type Transaction } from "../../src/store/replicas/roster.ts";
import { createSharedReads } from "../../src/store/replicas/shared-reads.ts";
import { ruleSubject, tenantSubject, tokenSubject } from "../../src/store/replicas/subjects.ts";
import { TIMES, type Times } from "../../src/store/replicas/times.ts";
import { createAccessTokenStore } from "../../src/store/sql/access-tokens/access-token-store.ts";
import { createRuleStates } from "../../src/store/sql/access-tokens/rule-states.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createRuleStore } from "../../src/store/sql/federation/rule-store.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { createReplicaTable } from "../../src/store/sql/replicas/replica-rows.ts";
import { createTenantStore } from "../../src/store/sql/tenants/tenant-store.ts";
import { ACT } from "../harness/act.ts";
import { monotonicMs, type Verification, type Watch, type Watched, watch } from "./observations.ts";
import { PROTOCOLS, type ProtocolName } from "./protocols.ts";

/** How a replica of these tests works, and which disturbances it has. */
export interface StoresOptions {
  readonly databaseUrl: string;
  /** Default: `leases`, the real one. */
  readonly protocol?: ProtocolName;
  /** The longest delay between reading a key, or a tenant, and caching it. Default 0. */
  readonly readDelayMs?: number;
  /** The longest delay before and after each statement of the protocol, and between the steps of a change. Default 0. */
  readonly stepDelayMs?: number;
  /** Share of the verifications before which the record of the key is evicted, and that of the tenant. Default 0. */
  readonly evictions?: number;
  /** Whether notifications wake the replica. Default: yes. Otherwise it only polls. */
  readonly listens?: boolean;
  /** Whether each key has a token that stands for it (`tokenOf`), which is verified in its place. */
  readonly tokens?: boolean;
  /** Default: the real ones. */
  readonly times?: Partial<Times>;
}

/** What only a replica in the process of the test can have. */
export interface StoresHooks {
  readonly clocks?: Clocks;
  /** Awaited between the answer to each look and its use. */
  readonly afterLook?: () => Promise<void>;
}

/** A change of a key, of its tenant, of its token or of the token's rule. A rotation is one without grace. */
export type Verb =
  | ("revoke" | "disable" | "enable" | "rotate" | "nothing")
  | ("suspend" | "resume")
  | ("revoke_token" | "disable_rule" | "delete_rule");

export interface Changed {
  /** Whether all replicas had seen the mark before the commit. */
  readonly isInTime: boolean;
}

/** One replica, in this process or in its own. */
export interface Verifier {
  verify(key: NewKey): Promise<Verification>;
  /** Resolves when the change is acknowledged. */
  change(verb: Verb, key: NewKey): Promise<Changed>;
  /** Keeps verifying a key without a pause. */
  watch(key: NewKey): Promise<void>;
  /** Stops that, and verifies the key once more. */
  unwatch(key: NewKey): Promise<Watched>;
}

export interface Stores extends Verifier {
  readonly database: SqlDatabase;
  readonly keys: KeyStore;
  readonly replica: Replica;
  /** Whether the cache may be used. */
  isHeld(): boolean;
  /** How many reads of keys and of tenants PostgreSQL has returned. */
  readonly reads: number;
  close(): Promise<void>;
}

/** The stores of a replica, put together as `src/app/storage.ts` does it, slowed down where a race would show. */
export async function openStores(options: StoresOptions, hooks: StoresHooks = {}): Promise<Stores> {
  const { clocks = OWN_CLOCKS } = hooks;
  const times: Times = { ...TIMES, ...options.times };
  const protocol = PROTOCOLS[options.protocol ?? "leases"];
  const database = await openDatabase({ kind: "postgres", url: options.databaseUrl, poolSize: 4 });
  const table = protocol.table(slowTable(createReplicaTable(database), options, hooks), database);
  const lease = createLease(times.lease, clocks);
  const cache = protocol.cache({ mayUse: lease.isHeld });
  const roster = createRoster({ table, times, clocks });
  const replica = await startReplica({ table, cache, lease, history: database.history, roster, times, clocks });
  const wakeOthers = () => database.notify({ kind: "keys" });
  const marks = watchMarks(table, roster);
  const invalidation = protocol.invalidation({
    ...marks,
    replica,
    history: database.history,
    wakeOthers,
    times,
    clocks,
  });
  const wake = () => replica.wake();
  const listener = options.listens === false ? undefined : database.listen({ onHint: wake, onChange: wake });
  const changes = slowChanges(invalidation, options);
  const keys = createKeyStore(database, changes);
  const tenants = createTenantStore(database, changes);
  const accessTokens = createAccessTokenStore(database, changes);
  const rules = createRuleStore(database, changes);
  const ruleStates = createRuleStates(database);
  let reads = 0;
  const slowly = async <T>(read: T | Promise<T>): Promise<T> => {
    const record = await read;
    reads += 1;
    await delay(options.readDelayMs);
    return record;
  };
  const admission = createAdmission({
    keys: cache.inFrontOf(
      createSharedReads({ findKeyBySecretHash: (secretHash) => slowly(keys.findKeyBySecretHash(secretHash)) }),
    ),
    tenants: cacheTenants(cache, { findTenant: (tenantId) => slowly(tenants.findTenant(tenantId)) }),
    limiter: createMemoryLimiter(() => new Date()),
    clock: replica.clock,
  });
  const tokens = cacheAccessTokens(
    cache,
    { findToken: (tokenId) => slowly(accessTokens.findToken(tokenId)) },
    { findRuleState: (ruleId) => slowly(ruleStates.findRuleState(ruleId)) },
  );
  const watches = new Map<string, Watch>();

  async function verify(key: NewKey): Promise<Verification> {
    const { tokenId, ruleId } = tokenOf(key);
    const ofToken = options.tokens ? [tokenSubject(tokenId), ruleSubject(ruleId)] : [];
    for (const subject of [key.secretHash, tenantSubject(key.record.tenantId), ...ofToken]) {
      if (Math.random() < (options.evictions ?? 0)) cache.drop(subject);
    }
    const fromMs = monotonicMs();
    const token = options.tokens ? await tokens.find(tokenId) : undefined;
    const found = await admission.find(key.secretHash);
    const toMs = monotonicMs();
    // What is in memory is found at once, and a change needs turns of the event loop.
    await nextTick();
    if (found === undefined)
      return { status: "unknown", tenantStatus: "unknown", tokenStatus: "unknown", fromMs, toMs };
    const tenantStatus = found.isTenantSuspended ? "suspended" : "active";
    const isTokenOff = token === undefined ? options.tokens : token.isRuleOff || token.token.revokedAt !== null;
    const tokenStatus = isTokenOff ? "revoked" : "active";
    return { status: keyStatus(found.key, found.at), tenantStatus, tokenStatus, fromMs, toMs };
  }

  /** Returns what has changed. */
  async function change(verb: Verb, key: NewKey): Promise<Subject> {
    const { secretHash, record } = key;
    const { tenantId, keyId } = record;
    const { tokenId, ruleId } = tokenOf(key);
    switch (verb) {
      case "revoke_token":
        await accessTokens.revokeToken({ tenantId, keyId: null }, tokenId, ACT);
        return tokenSubject(tokenId);
      case "disable_rule":
        await rules.updateRule(tenantId, ruleId, { status: "disabled" }, ACT);
        return ruleSubject(ruleId);
      case "delete_rule":
        await rules.deleteRule(tenantId, ruleId, ACT);
        return ruleSubject(ruleId);
      case "suspend":
        await suspendTenant({ tenants, operatorTenant: null }, tenantId, "a trial", ACT);
        return tenantSubject(tenantId);
      case "resume":
        await resumeTenant({ tenants, operatorTenant: null }, tenantId, ACT);
        return tenantSubject(tenantId);
      case "rotate":
        await rotateKey(
          { keys, keyClock: replica.clock, keyBrand: null, tenantKeysMax: 10_000 },
          tenantId,
          keyId,
          0,
          () => {},
          ACT,
        );
        return secretHash;
      default:
        await changeKey({ keys, clock: replica.clock }, tenantId, keyId, DECISIONS[verb], ACT);
        return secretHash;
    }
  }

  return {
    database,
    keys,
    replica,
    isHeld: lease.isHeld,
    get reads() {
      return reads;
    },
    verify,
    change: async (verb, key) => ({ isInTime: marks.isInTime(await change(verb, key)) }),
    async watch(key) {
      watches.set(
        key.secretHash,
        watch(() => verify(key)),
      );
      await nextTick();
    },
    async unwatch({ secretHash }) {
      const watched = watches.get(secretHash);
      watches.delete(secretHash);
      if (watched === undefined) throw new Error("The key was not watched.");
      return watched.stop();
    },
    async close() {
      await Promise.all([replica.close(), listener?.close()]);
      await database.close();
    },
  };
}

/** The ids of a key's token and of its rule, which each process finds by the key alone. */
export function tokenOf({ record: { keyId } }: NewKey): { readonly tokenId: string; readonly ruleId: string } {
  return { tokenId: keyId.replace("key_", "tok_"), ruleId: keyId.replace("key_", "fed_") };
}

const DECISIONS = { revoke: decideRevoke, disable: decideDisable, enable: decideEnable, nothing: () => UNCHANGED };

/** Remembers of each mark whether the first wait for it, which is that before the commit, was in vain. */
function watchMarks(table: ReplicaTable, roster: Roster) {
  const marks = new Map<string, string>();
  const results = new Map<string, boolean>();
  return {
    table: {
      ...table,
      async insertMark(subject: Subject) {
        const mark = await table.insertMark(subject);
        marks.set(subject, mark.transactionId);
        return mark;
      },
    },
    roster: {
      async haveSeen(transaction: Transaction, untilMs: number) {
        const { transactionId } = transaction;
        const isSeen = await roster.haveSeen(transaction, untilMs);
        if (!results.has(transactionId)) results.set(transactionId, isSeen);
        return isSeen;
      },
    },
    isInTime: (subject: Subject) => results.get(marks.get(subject) ?? "") !== false,
  };
}

function slowTable(table: ReplicaTable, { stepDelayMs }: StoresOptions, hooks: StoresHooks): ReplicaTable {
  const slow = async <T>(statement: () => Promise<T>): Promise<T> => {
    await delay(stepDelayMs);
    const result = await statement();
    await delay(stepDelayMs);
    return result;
  };
  return {
    ...table,
    register: (...args) => slow(() => table.register(...args)),
    async look(...args) {
      const look = await slow(() => table.look(...args));
      await hooks.afterLook?.();
      return look;
    },
    acknowledge: (...args) => slow(() => table.acknowledge(...args)),
    renew: (...args) => slow(() => table.renew(...args)),
    readReplicas: () => slow(() => table.readReplicas()),
    insertMark: (...args) => slow(() => table.insertMark(...args)),
    deleteMark: (...args) => slow(() => table.deleteMark(...args)),
  };
}

function slowChanges(invalidation: Invalidation, { stepDelayMs }: StoresOptions) {
  return {
    async beginChange(subject: Subject) {
      const change = await invalidation.beginChange(subject);
      await delay(stepDelayMs);
      return {
        ...change,
        async end(committed: Committed) {
          await delay(stepDelayMs);
          await change.end(committed);
        },
      };
    },
  };
}

async function delay(msMax = 0): Promise<void> {
  if (msMax > 0) await sleep(Math.random() * msMax);
}
