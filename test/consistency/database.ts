import { inject } from "vitest";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import { createAccessTokenStore } from "../../src/store/sql/access-tokens/access-token-store.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createRuleStore } from "../../src/store/sql/federation/rule-store.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { ACT } from "../harness/act.ts";
import { newRule } from "../harness/federation.ts";
import { newAccessToken } from "../harness/new-access-token.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey } from "../store/records.ts";
import { type StoreProcess, startStoreProcess } from "./store-process.ts";
import { openStores, type Stores, type StoresHooks, type StoresOptions, tokenOf } from "./stores.ts";

/** A database of a test, with the replicas that use it. */
export interface SharedDatabase {
  readonly url: string;
  /** Changes by it concern no replica. */
  readonly keys: KeyStore;
  /** The same, whose new keys have a token each, by a rule (`StoresOptions.tokens`). */
  readonly keysWithTokens: Pick<KeyStore, "insertKey">;
  /** Stores a key that no replica has cached. */
  storedKey(): Promise<NewKey>;
  /** Starts a replica in a process of its own. */
  start(options?: Partial<StoresOptions>): Promise<StoreProcess>;
  /** Opens one in the process of the test. */
  open(options?: Partial<StoresOptions>, hooks?: StoresHooks): Promise<Stores>;
  close(): Promise<void>;
}

/** Creates it on the server of the run. */
export async function openSharedDatabase(): Promise<SharedDatabase> {
  const url = await copyDatabase(inject("servingTemplate").adminUrl);
  const database = await openDatabase({ kind: "postgres", url, poolSize: 4 });
  const keys = createKeyStore(database);
  const rules = createRuleStore(database);
  const accessTokens = createAccessTokenStore(database);
  const replicas: (() => Promise<void>)[] = [];
  return {
    url,
    keys,
    keysWithTokens: {
      async insertKey(key, act) {
        await keys.insertKey(key, act);
        const { tokenId, ruleId } = tokenOf(key);
        const { tenantId, keyId } = key.record;
        await rules.insertRule(newRule({ ruleId, tenantId, keyId }), act);
        const ids = { tokenId, tenantId, keyId, ruleId };
        await accessTokens.addToken(newAccessToken({ ...ids, secretHash: key.secretHash }), act);
      },
    },
    async storedKey() {
      const key = newKey();
      await keys.insertKey(key, ACT);
      return key;
    },
    async start(options = {}) {
      const replica = await startStoreProcess({ databaseUrl: url, ...options });
      replicas.push(replica.stop);
      return replica;
    },
    async open(options = {}, hooks = {}) {
      const stores = await openStores({ databaseUrl: url, ...options }, hooks);
      replicas.push(stores.close);
      return stores;
    },
    async close() {
      await Promise.all(replicas.map((stop) => stop()));
      await database.close();
      await dropDatabase(inject("postgresUrl"), url);
    },
  };
}
