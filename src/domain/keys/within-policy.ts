import { anyGrants } from "../access/scopes.ts";
import type { KeyRecord } from "../credentials/key.ts";
import type { Caps } from "../limits/caps.ts";
import { NO_CAPS } from "../limits/rate-limit.ts";
import { faultOf, RequestFault } from "../vocabulary/request-fault.ts";
import { RULED_MEMBERS, type RuledMember } from "./key-fields.ts";
import { type KeyPolicy, keysMaxOf, type PolicyCheck } from "./key-policy.ts";

/** The members of a key that have rules. */
export type RuledKey = Pick<KeyRecord, RuledMember | "createdAt">;

const HOUR_MS = 3_600_000;

interface Breach {
  /** The member of the key that goes beyond a rule, by its name in requests. */
  readonly field: string;
  /** What continues the field, with the rule's name and value. */
  readonly problem: string;
}

/** The check of a new key: it is within the rules, and one of those that the tenant may have. */
export function checkNewKey(key: RuledKey, ceiling: number): PolicyCheck {
  return ({ policy, usableKeys, isTenantErased }) => {
    if (isTenantErased) throw tenantErased();
    requireWithin(policy, key, RULED_MEMBERS);
    requireRoom(keysMaxOf(policy, ceiling), usableKeys);
  };
}

/** The check of a key that has ended, and does nothing that the other rules are about. */
export const checkEndedKey: PolicyCheck = ({ isTenantErased }) => {
  if (isTenantErased) throw tenantErased();
};

/** The check of an update: the members that it names. All others may go beyond rules that are younger than they are. */
export function checkUpdated(key: RuledKey, named: readonly RuledMember[]): PolicyCheck {
  return ({ policy }) => requireWithin(policy, key, named);
}

/** The check of a key that is enabled as it is. */
export function checkEnabled(key: RuledKey): PolicyCheck {
  return ({ policy }) => requireWithin(policy, key, RULED_MEMBERS, "it cannot be enabled; update it first");
}

/** The check of a rotation. The old key gives its place to the successor if it ends at once. */
export function checkSuccessor(key: RuledKey, ceiling: number, endsAtOnce: boolean): PolicyCheck {
  return ({ policy, usableKeys, isTenantErased }) => {
    if (isTenantErased) throw tenantErased();
    requireWithin(policy, key, RULED_MEMBERS, "so would its successor; update it first");
    if (!endsAtOnce) requireRoom(keysMaxOf(policy, ceiling), usableKeys, ", or rotate with grace_period_hours 0");
  };
}

/** A key that was made during the erasure could escape it, and one made later would be disabled without a word. */
function tenantErased(): RequestFault {
  return faultOf(
    "tenant_erased",
    "tenant_id",
    "the tenant was erased; to use its identifier again, resume it with tenants/resume first",
  );
}

/** `remedy`: the request only names the key, which has the member already. */
function requireWithin(policy: KeyPolicy, key: RuledKey, members: readonly RuledMember[], remedy?: string): void {
  for (const member of members) {
    const breach = BREACHES[member](policy, key);
    if (breach === undefined) continue;
    const { field, problem } = breach;
    throw remedy === undefined
      ? faultOf("rule_exceeded", field, problem)
      : faultOf("rule_exceeded", "key_id", `the key's ${field} ${problem}; ${remedy}`);
  }
}

function requireRoom(keysMax: number, usableKeys: number, remedy = ""): void {
  if (usableKeys < keysMax) return;
  // No member of the request is at fault: max_keys is the rule's name.
  throw new RequestFault(
    "rule_exceeded",
    `max_keys: the tenant has ${usableKeys} keys that are active or disabled, and may have ${keysMax} by the rule max_keys; revoke one that is not needed${remedy}`,
  );
}

const BREACHES: Record<RuledMember, (policy: KeyPolicy, key: RuledKey) => Breach | undefined> = {
  permissions({ permissions: allowed }, { permissions }) {
    const index = allowed.length === 0 ? -1 : permissions.findIndex((scope) => !anyGrants(allowed, scope));
    const field = `permissions[${index}]`;
    if (index === -1) return undefined;
    return { field, problem: `must be one of ${allowed.join(", ")} by the tenant's rule permissions` };
  },
  rateLimit({ rateLimitMax: { perUser: perUserMax = NO_CAPS, ...own } }, { rateLimit }) {
    return breachOfCaps("", own, rateLimit) ?? breachOfCaps("per_user.", perUserMax, rateLimit.perUser ?? NO_CAPS);
  },
  expiresAt({ lifetimeHoursMax, isExpiryRequired }, { expiresAt, createdAt }) {
    const field = "expires_at";
    if (lifetimeHoursMax !== 0 && (expiresAt === null || +expiresAt > +createdAt + lifetimeHoursMax * HOUR_MS)) {
      const problem = `must be at most ${lifetimeHoursMax} hours after the key's creation by the tenant's rule max_lifetime_hours`;
      return { field, problem };
    }
    if (!isExpiryRequired || expiresAt !== null) return undefined;
    return { field, problem: "is required by the tenant's rule expiry_required" };
  },
  allowedIps({ areIpsRequired }, { allowedIps }) {
    if (!areIpsRequired || allowedIps.length > 0) return undefined;
    return { field: "allowed_ips", problem: "is required by the tenant's rule allowed_ips_required" };
  },
};

function breachOfCaps(path: "" | "per_user.", most: Caps, caps: Caps): Breach | undefined {
  const values = { ...caps, burstSize: atOnce(caps) };
  const breach = CAPS.find(([member]) => most[member] !== 0 && (values[member] === 0 || values[member] > most[member]));
  if (breach === undefined) return undefined;
  const [member, name] = breach;
  const rule = `max_rate_limit.${path}${name}`;
  return { field: `rate_limit.${path}${name}`, problem: `must be 1 to ${most[member]} by the tenant's rule ${rule}` };
}

const CAPS = [
  ["requestsPerMinute", "requests_per_minute"],
  ["requestsPerHour", "requests_per_hour"],
  ["burstSize", "burst_size"],
] as const;

/** Maximum number of requests at once; 0: there is no limit. Without a cap a `burstSize` limits nothing. */
function atOnce({ requestsPerMinute, requestsPerHour, burstSize }: Caps): number {
  const cap = requestsPerMinute || requestsPerHour;
  return cap === 0 ? 0 : burstSize || cap;
}
