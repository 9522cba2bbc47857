import fc from "fast-check";
import { createCatalogue, type Scope } from "../../src/domain/access/catalogue.ts";

// The rule that nobody grants what they may not, computed here from the rulings and not by the code that decides requests.
// A driver makes the calls of a sequence, on the domain or on a running service, and the checker looks at the keys after
// each call.

/** The platform's own scopes. */
export const OWN_SCOPES: readonly Scope[] = [
  { name: "reports:read", description: "Read reports.", publishable: true },
  { name: "reports:export", description: "Export reports.", publishable: false },
];
/** Where it is set. The other tenant is an ordinary one. */
export const OPERATOR_TENANT = "ten_operator";
const TENANTS = ["ten_ordinary", OPERATOR_TENANT];

const NAMES = createCatalogue(OWN_SCOPES).scopes.map(({ name }) => name);
const DOMAINS = [...new Set(NAMES.map((name) => domainOf(name)))];
/** Of the catalogue of today, and of one that has grown: what a wildcard grants then, its giver must have granted. */
const ACTIONS = [...NAMES, ...DOMAINS.map((domain) => `${domain}:later`), "later:later"];

export const VERBS = ["create", "update", "rotate", "enable", "disable", "revoke"] as const;
export type Verb = (typeof VERBS)[number];

export interface GrantUser {
  readonly tenant: string;
  readonly roles: readonly string[];
}

export interface StoredKey {
  readonly tenant: string;
  readonly permissions: readonly string[];
  readonly isDisabled: boolean;
}

export interface GrantStep {
  readonly verb: Verb;
  /** Indexes, which count from the beginning again beyond the last user or key. */
  readonly user: number;
  readonly key: number;
  /** Of a new or updated key. Null: an update of the name alone. */
  readonly permissions: readonly string[] | null;
}

export interface GrantWorld {
  readonly operatorTenant: string | null;
  /** What ROLES_FILE holds. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  readonly users: readonly GrantUser[];
  /** Keys that were made before, past every rule. */
  readonly stored: readonly StoredKey[];
  readonly steps: readonly GrantStep[];
}

/** A key as a driver sees it. */
export interface SeenKey {
  readonly tenant: string;
  readonly permissions: readonly string[];
  /** Neither disabled nor revoked. */
  readonly isUsable: boolean;
  /** Scopes that requests with the key were seen to have, where the driver makes some. */
  readonly used?: readonly string[];
}

export interface GrantDriver {
  /** Makes the call. Whether it was done; anything but a denial or a fault of the request throws. */
  act(user: GrantUser, step: GrantStep): Promise<"done" | "denied" | "refused">;
  /** All keys, by their ids. */
  keys(): Promise<ReadonlyMap<string, SeenKey>>;
}

const scope = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 2, arbitrary: fc.constantFrom(...DOMAINS.map((domain) => `${domain}:*`)) },
  { weight: 1, arbitrary: fc.constant("*") },
);
const scopes = fc.uniqueArray(scope, { minLength: 1, maxLength: 4 });
const tenant = fc.constantFrom(...TENANTS);
/** The roles that a random file may define. */
export const ROLE_NAMES = ["admin", "viewer", "support", "sales", "ops"];

/** Random roles, users, keys and calls. Half of the roles may write keys. */
export const grantWorld: fc.Arbitrary<GrantWorld> = fc.record({
  operatorTenant: fc.constantFrom(null, OPERATOR_TENANT),
  roles: fc.dictionary(
    fc.constantFrom(...ROLE_NAMES),
    fc.tuple(fc.boolean(), scopes).map(([writes, held]) => (writes ? ["api_keys:write", ...held] : held)),
  ),
  users: fc.array(
    fc.record({ tenant, roles: fc.subarray([...ROLE_NAMES, "owner", "developer", "unknown"], { maxLength: 2 }) }),
    { minLength: 1, maxLength: 4 },
  ),
  stored: fc.array(fc.record({ tenant, permissions: scopes, isDisabled: fc.boolean() }), { maxLength: 4 }),
  steps: fc.array(
    fc.record({
      verb: fc.constantFrom(...VERBS),
      user: fc.nat(3),
      key: fc.nat(7),
      permissions: fc.option(scopes, { freq: 3 }),
    }),
    { maxLength: 12 },
  ),
});

/** What became of the calls of a sequence. */
export type Tally = Record<"done" | "denied" | "refused", number>;

/** Makes the calls of a world. Returns the first breach of the rule, if any, and adds to the tally. */
export async function breachIn(world: GrantWorld, driver: GrantDriver, tally: Tally): Promise<string | undefined> {
  let before = await driver.keys();
  for (const step of world.steps) {
    const user = world.users[step.user % world.users.length];
    if (user === undefined) throw new Error("a world has users");
    const outcome = await driver.act(user, step);
    tally[outcome]++;
    const after = await driver.keys();
    const breach = breachOf(world, user, step, outcome, before, after);
    if (breach !== undefined) return breach;
    before = after;
  }
  return undefined;
}

function breachOf(
  world: GrantWorld,
  user: GrantUser,
  { verb }: GrantStep,
  outcome: string,
  before: ReadonlyMap<string, SeenKey>,
  after: ReadonlyMap<string, SeenKey>,
): string | undefined {
  const grants = outcome === "done" && (verb === "create" || verb === "update" || verb === "rotate");
  for (const [id, key] of before) {
    const now = after.get(id);
    if (now === undefined) return `${verb} removed ${id}`;
    const isSame = key.permissions.join() === now.permissions.join() && key.tenant === now.tenant;
    if (!isSame && !(grants && verb === "update")) return `${verb}, ${outcome}, changed ${id}`;
  }
  for (const [id, key] of after) {
    const was = before.get(id);
    if (was === undefined && !grants) return `${verb}, ${outcome}, made ${id}`;
    const gained = (key.used ?? []).filter((one) => was?.used?.includes(one) !== true);
    const isSame = was !== undefined && was.permissions.join() === key.permissions.join();
    const isRevived = key.isUsable && was?.isUsable === false;
    if (isSame && !isRevived && gained.length === 0) continue;
    const isForeign = world.operatorTenant !== null && key.tenant !== world.operatorTenant;
    if (isForeign && key.permissions.some(isReserved)) return `${verb} gave ${id} a reserved scope`;
    const grantable = grantableBy(world, user, key.tenant);
    const reached = [...reach(world, key), ...gained].find((action) => !grantable.has(action));
    if (reached !== undefined) return `${verb} by ${JSON.stringify(user)} gave ${id} ${reached}`;
  }
  return undefined;
}

/** The actions that a key's permissions reach. */
function reach({ operatorTenant }: GrantWorld, { tenant: of, permissions }: SeenKey): string[] {
  return ACTIONS.filter(
    (action) => holds(permissions, action) && (!isReserved(action) || operatorTenant === null || operatorTenant === of),
  );
}

/** The actions that a user may give to a key of a tenant: of their own tenant alone, what their roles have. */
function grantableBy(world: GrantWorld, user: GrantUser, of: string): ReadonlySet<string> {
  const builtIn: Record<string, readonly string[]> = {
    owner: ["*"],
    admin: ["*"],
    developer: ["api_keys:*", "conversations:*", "org:read", "plans:*", "usage:read", "users:read", "webhooks:*"],
    viewer: NAMES.filter((name) => name.endsWith(":read")),
  };
  const held = user.roles.flatMap((role) => world.roles[role] ?? builtIn[role] ?? []);
  if (user.tenant !== of) return new Set();
  const mayReserved = world.operatorTenant === null ? held.includes("*") : user.tenant === world.operatorTenant;
  return new Set(ACTIONS.filter((action) => holds(held, action) && (!isReserved(action) || mayReserved)));
}

function holds(held: readonly string[], action: string): boolean {
  return held.includes("*") || held.includes(action) || held.includes(`${domainOf(action)}:*`);
}

function isReserved(action: string): boolean {
  return /^(?:system|tenants):/.test(action);
}

function domainOf(name: string): string {
  return name.split(":")[0] ?? "";
}
