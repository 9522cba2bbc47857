import type { KeyType } from "../credentials/key.ts";
import { likely, nearest } from "../vocabulary/nearest.ts";
import { domainOf, grants } from "./scopes.ts";

/** A scope that an RPC, or a service of the platform, can ask for: `domain:action`. */
export interface Scope {
  readonly name: string;
  /** What it allows, as a sentence. */
  readonly description: string;
  /** Whether a publishable key can hold it. */
  readonly publishable: boolean;
}

/** Every scope that a caller can hold or that can be asked for. */
export interface Catalogue {
  /** The built-in ones first, then the platform's own in the order of their file. */
  readonly scopes: readonly Scope[];
  /** Whether an RPC, or a caller of Verify, can ask for this scope: one action, no wildcard. */
  isAction(scope: string): boolean;
  /** Whether a key or a role can hold it: an action, `domain:*` or `*`. */
  isGrantable(scope: string): boolean;
  /**
   * The blocked scope whose effect a publishable key with `scope` would share, if any: `billing:read` lies within
   * `billing:*`, and `users:*` contains `users:impersonate`.
   */
  blockedForPublishable(scope: string): string | undefined;
  /**
   * The scopes of a stored list that grant something: they are in the catalogue, and a key of this type can hold them. A
   * tampered row, or a scope that was taken out of the catalogue, grants nothing.
   */
  effective(held: readonly string[], type: KeyType): readonly string[];
  /**
   * The scope that a key of this type, or a role, can hold and that was probably meant. It never suggests `*`, and suggests
   * a wildcard only for a text with one: a typing mistake must not lead to more rights. Undefined: none is near.
   */
  nearestScope(text: string, type: KeyType): string | undefined;
  /** The scope that can be asked for and was probably meant. Undefined: none is near. */
  nearestAction(text: string): string | undefined;
}

const BUILT_IN: readonly (readonly [name: string, description: string])[] = [
  ["conversations:read", "Read conversations and their messages."],
  ["conversations:write", "Send messages to the assistant."],
  ["plans:read", "Read plans."],
  ["plans:write", "Create and change plans."],
  ["users:read", "Read users."],
  ["users:impersonate", "Act for a user, by X-On-Behalf-Of."],
  ["billing:read", "Read billing data."],
  ["billing:write", "Change billing data."],
  ["invoices:read", "Read invoices."],
  ["invoices:write", "Create and change invoices."],
  ["api_keys:read", "Read API keys, and how often each was used."],
  ["api_keys:write", "Create, change, rotate and revoke API keys."],
  ["webhooks:read", "Read webhooks."],
  ["webhooks:write", "Create and change webhooks."],
  ["tenants:read", "Read tenants. Reserved for the operator's own tenant."],
  ["tenants:write", "Change tenants. Reserved for the operator's own tenant."],
  ["system:read", "Read the state of the system. Reserved for the operator's own tenant."],
  ["system:write", "Operate the system. Reserved for the operator's own tenant."],
  ["org:read", "Read the organization, its members and invitations."],
  ["org:write", "Change the organization, its members and invitations."],
  ["audit:read", "Read who did what, and when."],
  ["usage:read", "Read how often all keys were used, recent requests, and why they were denied."],
  ["api_keys:admin", "Set the tenant's rules for its API keys, and which workloads get tokens for them."],
];

/** Scopes whose effect a publishable key must not have. */
const BLOCKED_FOR_PUBLISHABLE: readonly string[] = [
  "*",
  "api_keys:*",
  "org:*",
  "audit:*",
  "usage:*",
  "webhooks:*",
  "tenants:*",
  "billing:*",
  "system:*",
  "users:impersonate",
];

/** The catalogue with the platform's own scopes, whose names must be new. */
export function createCatalogue(own: readonly Scope[] = []): Catalogue {
  const blocked = [...BLOCKED_FOR_PUBLISHABLE, ...own.filter((scope) => !scope.publishable).map(({ name }) => name)];
  const builtIn = BUILT_IN.map(([name, description]) => ({ name, description, publishable: isFree(name) }));
  const scopes = [...builtIn, ...own];
  const actions = scopes.map(({ name }) => name);
  const isKnownAction: ReadonlySet<string> = new Set(actions);
  const grantable = new Set([...actions, "*", ...actions.map((name) => `${domainOf(name)}:*`)]);
  const publishable = new Set([...grantable].filter(isFree));
  const holdable: Record<KeyType, ReadonlySet<string>> = { secret: grantable, publishable };

  function blockedForPublishable(scope: string): string | undefined {
    return blocked.find((one) => (one === "*" ? scope === "*" : grants(scope, one) || grants(one, scope)));
  }

  function isFree(scope: string): boolean {
    return blockedForPublishable(scope) === undefined;
  }

  return {
    scopes,
    isAction: (scope) => isKnownAction.has(scope),
    isGrantable: (scope) => grantable.has(scope),
    blockedForPublishable,
    effective: (held, type) =>
      held.every((scope) => holdable[type].has(scope)) ? held : held.filter((scope) => holdable[type].has(scope)),
    nearestScope: (text, type) =>
      near(
        text,
        [...holdable[type]].filter((one) => (text.includes("*") ? one !== "*" : isKnownAction.has(one))),
      ),
    nearestAction: (text) => near(text, actions),
  };
}

/** "admin" alone is more likely a role than this scope, and a mistake must not lead to more rights. */
function isAdministrative(scope: string): boolean {
  return scope.endsWith(":admin");
}

/** Shorter parts are in too many scopes. */
const PART_CHARS_MIN = 3;

/**
 * The nearest of the scopes that begin with the domain that a text names, else of those that contain it, else of those that
 * resemble the text.
 */
function near(text: string, known: readonly string[]): string | undefined {
  const [domain = ""] = text.toLowerCase().split(/[:*.]/, 1);
  const common = known.filter((scope) => !isAdministrative(scope));
  const choices = [
    domain === "" ? [] : known.filter((scope) => scope.startsWith(domain)),
    domain.length < PART_CHARS_MIN ? [] : common.filter((scope) => scope.includes(domain)),
  ];
  const choice = choices.find((scopes) => scopes.length > 0);
  return choice === undefined ? likely(text, common) : nearest(text, choice);
}
