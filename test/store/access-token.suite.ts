// promise: access.count, access.erased
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import type { AccessTokenStore } from "../../src/domain/access-tokens/access-token-store.ts";
import type { NewAccessToken } from "../../src/domain/credentials/access-token.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { ruleSubject, tokenSubject } from "../../src/store/replicas/subjects.ts";
import { createRuleStates } from "../../src/store/sql/access-tokens/rule-states.ts";
import { createUsedOnce } from "../../src/store/sql/access-tokens/used-once.ts";
import { createAuditTrail } from "../../src/store/sql/audit/audit-trail.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { hashBytes } from "../../src/store/sql/driver/hash-bytes.ts";
import { ERASED_REASON } from "../../src/store/sql/keys/key-policies.ts";
import { createTenantStore } from "../../src/store/sql/tenants/tenant-store.ts";
import { ACT } from "../harness/act.ts";
import { newAccessToken } from "../harness/new-access-token.ts";
import { later, NOW } from "./records.ts";

const DERIVED = { ...ACT, action: "token.derived" };
const REVOKED = { ...ACT, action: "token.revoked" };
const DAY_MS = 86_400_000;

export interface OpenedTokens {
  readonly tokens: AccessTokenStore;
  readonly database: SqlDatabase;
}

/** What every AccessTokenStore promises. `open` takes the clock of the storage. */
export function accessTokenSuite(name: string, open: (clock: () => Date) => Promise<OpenedTokens>): void {
  describe(`tokens in ${name}`, () => {
    const at = (instant: Date) => open(() => instant);

    async function added(fields: Partial<NewAccessToken> = {}, instant = NOW): Promise<NewAccessToken> {
      const token = newAccessToken(fields);
      await (await at(instant)).tokens.addToken(token, DERIVED);
      return token;
    }

    async function eventsOf({ tenantId, tokenId }: NewAccessToken) {
      const filter = { from: null, to: null, actorId: "", action: "", targetId: tokenId, requestId: "" };
      const { database } = await at(NOW);
      const page = await createAuditTrail(database).listEvents(tenantId, filter, { after: undefined, perPage: 9 });
      return page.events.toReversed();
    }

    const find = async ({ tokenId }: { readonly tokenId: string }) => (await at(NOW)).tokens.findToken(tokenId);

    test("are read as they were added, one or many at once, and an unknown one is none", async () => {
      const plain = await added();
      const full = await added({
        ...{ userId: `user ,"'{}\\😀`, audience: "https://api.example", scopes: ["users:*", "plans:read"] },
        ...{ confirmationJkt: "a".repeat(43), ruleId: newId("fed") },
      });
      const read = await Promise.all([plain, full, { tokenId: newId("tok") }, plain].map(find));
      const asRead = (token: NewAccessToken) => ({ ...token, createdAt: NOW, revokedAt: null });
      expect(read).toEqual([asRead(plain), asRead(full), undefined, asRead(plain)]);
    });

    test("have an event each for their issue, in the transaction that adds them, and none of the token or the key's hash", async () => {
      const token = await added({ userId: "jo" });
      const [event, ...others] = await eventsOf(token);
      expect(others).toEqual([]);
      expect(event).toMatchObject({
        ...{ action: "token.derived", tenantId: token.tenantId, targetId: token.tokenId, actor: ACT.actor },
        changes: { key_id: { new: token.keyId }, scopes: { new: token.scopes }, user_id: { new: "jo" } },
      });
      expect(JSON.stringify(event)).not.toContain(token.secretHash);
      await expect((await at(NOW)).tokens.addToken(token, DERIVED)).rejects.toThrow();
      expect(await eventsOf(token)).toHaveLength(1);
    });

    test("are not added for an erased tenant", async () => {
      const token = newAccessToken();
      const { tokens, database } = await at(NOW);
      await createTenantStore(database).setSuspension(token.tenantId, ERASED_REASON, ACT);
      await expect(tokens.addToken(token, DERIVED)).rejects.toMatchObject({ reason: "tenant_erased" });
      expect(await find(token)).toBeUndefined();
    });

    test("are listed newest first, page by page, of a tenant or one of its keys, and without those that have expired", async () => {
      const tenantId = newId("ten");
      const [keyId, otherKey] = [newId("key"), newId("key")];
      const first = await added({ tenantId, keyId, expiresAt: later(9_000) });
      const second = await added({ tenantId, keyId: otherKey, expiresAt: later(9_000) });
      const third = await added({ tenantId, keyId, expiresAt: later(5_000) }, later(1));
      await added({ tenantId: newId("ten"), keyId });
      const list = async (of: string | null, instant = later(2)) => {
        const { tokens } = await at(instant);
        const ids: string[] = [];
        for (let after: Parameters<AccessTokenStore["listTokens"]>[1]["after"]; ; ) {
          const page = await tokens.listTokens({ tenantId, keyId: of }, { after, perPage: 1 });
          ids.push(...page.tokens.map(({ tokenId }) => tokenId));
          if (page.next === undefined) return ids;
          after = page.next;
        }
      };
      expect(await list(null)).toEqual([third, second, first].map(({ tokenId }) => tokenId));
      expect(await list(keyId)).toEqual([third, first].map(({ tokenId }) => tokenId));
      expect(await list(null, later(5_000))).toEqual([second, first].map(({ tokenId }) => tokenId));
      expect(await list(newId("key"))).toEqual([]);
    });

    test("that are revoked stay so, with one event, and are found as revoked", async () => {
      const token = await added();
      expect(await find(token)).toMatchObject({ revokedAt: null });
      const { tenantId, tokenId } = token;
      const revoke = async (instant: Date) =>
        (await at(instant)).tokens.revokeToken({ tenantId, keyId: null }, tokenId, REVOKED);
      const revoked = await revoke(later(1_000));
      expect(revoked).toEqual({ ...token, createdAt: NOW, revokedAt: later(1_000) });
      expect(await revoke(later(2_000))).toEqual(revoked);
      expect((await at(NOW)).tokens).toBeDefined();
      const events = await eventsOf(token);
      expect(events.map(({ action }) => action)).toEqual(["token.derived", "token.revoked"]);
      expect(events[1]?.changes).toEqual({ revoked_at: { old: null, new: later(1_000).toISOString() } });
    });

    test("of concurrent revocations one has the event", async () => {
      const token = await added();
      const { tokens } = await at(NOW);
      const of = { tenantId: token.tenantId, keyId: token.keyId };
      await Promise.all(Array.from({ length: 4 }, () => tokens.revokeToken(of, token.tokenId, REVOKED)));
      expect((await eventsOf(token)).map(({ action }) => action)).toEqual(["token.derived", "token.revoked"]);
    });

    test("of another tenant or key cannot be revoked, as if there were none", async () => {
      const token = await added();
      const { tokens } = await at(NOW);
      for (const of of [
        { tenantId: newId("ten"), keyId: null },
        { tenantId: newId("ten"), keyId: token.keyId },
        { tenantId: token.tenantId, keyId: newId("key") },
      ]) {
        expect(await tokens.revokeToken(of, token.tokenId, REVOKED)).toBeUndefined();
      }
      expect(await find(token)).toMatchObject({ revokedAt: null });
    });

    test("have their subject, and that of their rule, in the list of changes by SQL, unless they had expired", async () => {
      const { database } = await at(NOW);
      const future = new Date("2100-01-01T00:00:00Z");
      const [revoked, removed] = [await added({ expiresAt: future }), await added({ expiresAt: future })];
      const expired = await added({ expiresAt: new Date("2001-01-01T00:00:00Z") });
      const ruleId = newId("fed");
      const { tenantId, keyId } = revoked;
      await sql`
        insert into federation_rules (
          rule_id, tenant_id, name, issuer, audience, claim_rules, key_id, scopes, ttl_seconds, status
        ) values (${ruleId}, ${tenantId}, '', 'https://i.example', 'a', '[]', ${keyId}, '[]', 600, 'enabled')`.execute(
        database.db,
      );
      const { findRuleState } = createRuleStates(database);
      expect(await findRuleState(ruleId)).toEqual({ isOff: false });
      await sql`update access_tokens set revoked_at = now() where token_id = ${revoked.tokenId}`.execute(database.db);
      await sql`delete from access_tokens where token_id in (${removed.tokenId}, ${expired.tokenId})`.execute(
        database.db,
      );
      await sql`update federation_rules set status = 'disabled' where rule_id = ${ruleId}`.execute(database.db);
      expect(await findRuleState(ruleId)).toEqual({ isOff: true });
      await sql`delete from federation_rules where rule_id = ${ruleId}`.execute(database.db);
      expect(await Promise.all([ruleId, newId("fed")].map(findRuleState))).toEqual([{ isOff: true }, { isOff: true }]);
      const changesOf = async (subject: string) => {
        const { rows } = await sql`select from key_changes where secret_hash = ${hashBytes(subject)}`.execute(
          database.db,
        );
        return rows.length;
      };
      expect(await changesOf(tokenSubject(revoked.tokenId))).toBe(1);
      expect(await changesOf(tokenSubject(removed.tokenId))).toBe(1);
      expect(await changesOf(tokenSubject(expired.tokenId))).toBe(0);
      expect(await changesOf(ruleSubject(ruleId))).toBe(2);
    });

    // threat: D14
    test("are at most 1,000 of a key, and of a rule, that have not expired, however many are added at once", async () => {
      const [tenantId, keyId, ruleId] = [newId("ten"), newId("key"), newId("fed")];
      const { tokens, database } = await at(NOW);
      const [end, ended] = [later(60_000), new Date(NOW.getTime() - 1)];
      for (const rule of [null, ruleId]) {
        await sql`
          insert into access_tokens (token_id, tenant_id, key_id, secret_hash, scopes, audience, rule_id, expires_at, revoked_at)
          select ${newId("tok")} || n, ${tenantId}, ${keyId}, ''::bytea, '[]', 'a', cast(${rule} as text),
            case when n > 998 then cast(${ended} as timestamptz) else cast(${end} as timestamptz) end,
            case when n % 2 = 0 then cast(${NOW} as timestamptz) end
          from generate_series(1, 1500) as n`.execute(database.db);
        const source = { tenantId, keyId, ruleId: rule };
        expect(await tokens.hasRoom(source)).toBe(true);
        const adding = Array.from({ length: 6 }, () => tokens.addToken(newAccessToken(source), DERIVED));
        const failures = (await Promise.allSettled(adding)).filter(({ status }) => status === "rejected");
        expect(failures).toHaveLength(4);
        expect(failures[0]).toMatchObject({ reason: { reason: "too_many_tokens" } });
        expect(await tokens.hasRoom(source)).toBe(false);
      }
      await tokens.addToken(newAccessToken({ tenantId }), DERIVED);
      const later61 = (await at(later(61_000))).tokens;
      await later61.addToken(newAccessToken({ tenantId, keyId, expiresAt: later(120_000) }), DERIVED);
    });

    test("are removed a day after their end, with what was used once until then", async () => {
      const expiresAt = new Date("2001-01-01T12:00:00Z");
      const old = await added({ expiresAt });
      const younger = await added({ expiresAt: new Date(expiresAt.getTime() + 1_000) });
      const { database } = await at(NOW);
      const used = Buffer.from(newId("tok"));
      expect(await createUsedOnce(database).use(used, expiresAt)).toBe(true);
      expect(await createUsedOnce(database).use(used, expiresAt)).toBe(false);
      const remove = async (instant: Date) => (await at(instant)).tokens.removeOldTokens();
      expect(await remove(new Date(expiresAt.getTime()))).toBe(false);
      expect(await createUsedOnce(database).use(used, expiresAt)).toBe(false);
      expect(await remove(new Date(expiresAt.getTime() + DAY_MS + 1))).toBe(false);
      expect(await createUsedOnce(database).use(used, expiresAt)).toBe(true);
      const left = await sql<{ token_id: string }>`
        select token_id from access_tokens where token_id in (${old.tokenId}, ${younger.tokenId})`.execute(database.db);
      expect(left.rows).toEqual([{ token_id: younger.tokenId }]);
    });
  });
}
