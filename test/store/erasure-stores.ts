import { createAccessTokenStore } from "../../src/store/sql/access-tokens/access-token-store.ts";
import { createAuditTrail } from "../../src/store/sql/audit/audit-trail.ts";
import { createConversationStore } from "../../src/store/sql/conversations/conversation-store.ts";
import { createRunQueue } from "../../src/store/sql/conversations/run-queue.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { createErasureStore } from "../../src/store/sql/erasures/erasure-store.ts";
import { createRuleStore } from "../../src/store/sql/federation/rule-store.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { createOrgStore } from "../../src/store/sql/orgs/org-store.ts";
import { createRequestLog } from "../../src/store/sql/requests/request-log.ts";
import { createTenantStore } from "../../src/store/sql/tenants/tenant-store.ts";
import type { ErasureStores } from "./erasure-steps.ts";
import { dumpTables } from "./table-dump.ts";

/** The stores whose records an erasure removes, on one database. */
export function openErasureStores(database: SqlDatabase): ErasureStores {
  return {
    erasures: createErasureStore(database),
    conversations: createConversationStore(database),
    queue: createRunQueue(database),
    keys: createKeyStore(database),
    orgs: createOrgStore(database),
    tenants: createTenantStore(database),
    audit: createAuditTrail(database),
    requests: createRequestLog(database),
    tokens: createAccessTokenStore(database),
    rules: createRuleStore(database),
    dump: () => dumpTables(database),
  };
}
