import { randomUUID } from "node:crypto";
import { beforeAll } from "vitest";
import type { AccessTokenStore } from "../../src/domain/access-tokens/access-token-store.ts";
import type { AuditTrail } from "../../src/domain/audit/audit-trail.ts";
import type { Act } from "../../src/domain/audit/event.ts";
import type { NewMessage } from "../../src/domain/conversations/conversation.ts";
import type { ConversationStore, RunQueue } from "../../src/domain/conversations/conversation-store.ts";
import type { KeyRecord } from "../../src/domain/credentials/key.ts";
import type { Erasure, ErasureTarget } from "../../src/domain/erasures/erasure.ts";
import type { ErasureStore } from "../../src/domain/erasures/erasure-store.ts";
import type { RuleStore } from "../../src/domain/federation/rule-store.ts";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import type { OrgStore } from "../../src/domain/orgs/org-store.ts";
import type { RequestLog } from "../../src/domain/requests/request-log.ts";
import type { TenantStore } from "../../src/domain/tenants/tenant-store.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { ACT } from "../harness/act.ts";
import { newInvitation, newKey, newMessage } from "./records.ts";

/** Stores of one database, on the database's own clock. */
export interface ErasureStores {
  readonly erasures: ErasureStore;
  readonly conversations: ConversationStore;
  readonly queue: RunQueue;
  readonly keys: KeyStore;
  readonly orgs: OrgStore;
  readonly tenants: TenantStore;
  readonly audit: AuditTrail;
  readonly requests: RequestLog;
  readonly tokens: AccessTokenStore;
  readonly rules: RuleStore;
  /** The rows of all tables, as text. */
  dump(): Promise<string>;
}

export type OpenErasures = () => Promise<ErasureStores>;

export const ISSUER = "https://login.example";
export const ERASED: Act = { ...ACT, action: "user.erased" };

/** Steps that the suites of erasures share. The functions work once the tests run. */
export function openedErasures(open: OpenErasures) {
  let stores: ErasureStores;
  beforeAll(async () => {
    stores = await open();
  });
  const opened = () => stores;

  const ofUser = (tenantId: string, userId: string, issuer: string | null = null): ErasureTarget => ({
    kind: "user",
    tenantId,
    userId,
    issuer,
  });
  const ofTenant = (tenantId: string): ErasureTarget => ({ kind: "tenant", tenantId });

  async function finish({ erasureId }: Erasure): Promise<Erasure> {
    for (let pieces = 0; pieces < 1_000; pieces++) {
      if ((await opened().erasures.removePiece(erasureId)) === "finished") break;
    }
    return opened().erasures.read(erasureId);
  }

  const erase = async (target: ErasureTarget) => finish(await opened().erasures.begin(target, ERASED));

  async function send(fields: Partial<NewMessage>): Promise<NewMessage> {
    const message = newMessage({ clientMessageId: randomUUID(), ...fields });
    await opened().conversations.appendMessage(message);
    return message;
  }

  async function storedKey(fields: Partial<KeyRecord>): Promise<string> {
    const key = newKey(fields);
    await opened().keys.insertKey(key, ACT);
    return key.secretHash;
  }

  /** An organization with an owner, and a member who was invited. */
  async function foundOrg(tenantId = newId("ten"), owner = `owner-${randomUUID()}`, member = `user-${randomUUID()}`) {
    const org = { orgId: newId("org"), tenantId, name: `Name of ${tenantId}` };
    const emailOf = (user: string) => `${user}@example.com`;
    await opened().orgs.createOrg(org, { issuer: ISSUER, userId: owner }, emailOf(owner), "signup", ACT);
    const tokenHash = Buffer.from(randomUUID());
    await opened().orgs.insertInvitation(
      org,
      newInvitation({ invitationId: newId("ivt"), email: emailOf(member) }),
      tokenHash,
      ACT,
    );
    const user = { issuer: ISSUER, userId: member, verifiedEmail: emailOf(member) };
    await opened().orgs.acceptInvitation(tokenHash, user, () => new Date(), ACT);
    return { org, owner, member, emailOf };
  }

  const threads = async (tenantId: string) =>
    (await opened().conversations.listThreads({ kind: "tenant", tenantId }, { page: 1, perPage: 100 })).total;
  const memberships = async (userId: string) => (await opened().orgs.findMemberships(userId)).memberships;
  async function events(targetId: string) {
    const filter = { from: null, to: null, actorId: "", action: "", targetId, requestId: "" };
    const page = await opened().audit.listEvents(null, filter, { after: undefined, perPage: 100 });
    return page.events.filter(({ action }) => action === ERASED.action);
  }

  return { opened, ofUser, ofTenant, finish, erase, send, storedKey, foundOrg, threads, memberships, events };
}
