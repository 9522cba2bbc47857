import type {
  AccessTokenStore,
  AccessTokens,
  FoundAccessToken,
  RuleState,
  RuleStates,
} from "../../domain/access-tokens/access-token-store.ts";
import type { KeyFormatStore, ReadKeyFormats } from "../../domain/key-formats/format-store.ts";
import type { Memberships } from "../../domain/orgs/org-store.ts";
import type { TenantStates } from "../../domain/tenants/tenant-store.ts";
import { type Awaitable, after } from "../../domain/vocabulary/awaitable.ts";
import type { Subject } from "./invalidation.ts";
import type { RecordCache, RecordKind } from "./record-cache.ts";
import { shareReads } from "./shared-reads.ts";
import {
  FORMATS_SUBJECT,
  rememberSubjects,
  ruleSubject,
  tenantSubject,
  tokenSubject,
  userSubject,
} from "./subjects.ts";

type Cache = Pick<RecordCache, "find">;

/** The states of tenants from the cache, which is filled from `tenants`. */
export function cacheTenants(cache: Cache, tenants: TenantStates): TenantStates {
  return { findTenant: cacheReads(cache, "tenant", tenantSubject, async (tenantId) => tenants.findTenant(tenantId)) };
}

/** The memberships of users from the cache, which is filled from `members`. */
export function cacheMemberships(cache: Cache, members: Memberships): Memberships {
  return { findMemberships: cacheReads(cache, "user", userSubject, async (userId) => members.findMemberships(userId)) };
}

/** The states of tokens from the cache, which is filled from `tokens` and `rules`. */
export function cacheAccessTokens(
  cache: Cache,
  tokens: Pick<AccessTokenStore, "findToken">,
  rules: RuleStates,
): AccessTokens {
  const rememberedSubject = rememberSubjects(tokenSubject);
  const sharedRead = shareReads((tokenId: string) => readToken(tokens, tokenId));
  const findRuleState = cacheReads(cache, "rule", ruleSubject, async (ruleId) => rules.findRuleState(ruleId));
  const withRule = (found: FoundAccessToken | undefined): Awaitable<FoundAccessToken | undefined> => {
    const ruleId = found?.token.ruleId ?? null;
    if (found === undefined || ruleId === null) return found;
    return after(findRuleState(ruleId), markedOff, found);
  };
  return {
    find: (tokenId) =>
      after(
        cache.find("token", rememberedSubject(tokenId), () => sharedRead(tokenId)),
        withRule,
      ),
  };
}

function markedOff({ isOff }: RuleState, found: FoundAccessToken): FoundAccessToken {
  return isOff ? { ...found, isRuleOff: true } : found;
}

/** As it is cached: without the rule, whose state is cached by itself. */
async function readToken(
  tokens: Pick<AccessTokenStore, "findToken">,
  tokenId: string,
): Promise<FoundAccessToken | undefined> {
  const token = await tokens.findToken(tokenId);
  return token && { token, isRuleOff: false };
}

/** The key formats from the cache, which is filled from `formats`. */
export function cacheKeyFormats(cache: Cache, formats: Pick<KeyFormatStore, "readFormats">): ReadKeyFormats {
  const sharedRead = shareReads(() => formats.readFormats());
  const read = () => sharedRead(FORMATS_SUBJECT);
  return () => after(cache.find("formats", FORMATS_SUBJECT, read), existing);
}

function existing<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new Error("there is a record for each id");
  return found;
}

/** Reads through the cache of what has a record for each id. */
function cacheReads<Found extends object>(
  cache: Cache,
  kind: RecordKind,
  subjectOf: (id: string) => Subject,
  read: (id: string) => Promise<Found>,
): (id: string) => Awaitable<Found> {
  const rememberedSubject = rememberSubjects(subjectOf);
  const sharedRead = shareReads(read);
  return (id) =>
    after(
      cache.find(kind, rememberedSubject(id), () => sharedRead(id)),
      existing<Found>,
    );
}
