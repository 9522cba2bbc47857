import type { KeyRecord, KeyType } from "../keys/key.ts";
import { nearest } from "../nearest.ts";

/**
 * Every scope a key can hold or an RPC can ask for (docs/promises.md).
 *
 * Besides these a key can hold `*` and `domain:*`.
 */
const CATALOGUE = [
  "conversations:read",
  "conversations:write",
  "plans:read",
  "plans:write",
  "users:read",
  "users:impersonate",
  "billing:read",
  "billing:write",
  "invoices:read",
  "invoices:write",
  "api_keys:read",
  "api_keys:write",
  "webhooks:read",
  "webhooks:write",
  "tenants:read",
  "tenants:write",
  "system:read",
  "system:write",
] as const;

const WILDCARDS = ["*", ...new Set(CATALOGUE.map((scope) => `${domainOf(scope)}:*`))];
const GRANTABLE: ReadonlySet<string> = new Set([...CATALOGUE, ...WILDCARDS]);
const ACTIONS: ReadonlySet<string> = new Set(CATALOGUE);

/** Scopes whose effect a publishable key must not have. */
const BLOCKED_FOR_PUBLISHABLE = [
  "*",
  "api_keys:*",
  "webhooks:*",
  "tenants:*",
  "billing:*",
  "system:*",
  "users:impersonate",
] as const;

/** Whether a key can hold this scope. */
export function isGrantable(scope: string): boolean {
  return GRANTABLE.has(scope);
}

/** Whether an RPC, or a caller of Verify, can ask for this scope: one action, no wildcard. */
export function isAction(scope: string): boolean {
  return ACTIONS.has(scope);
}

/**
 * The scope that a key of this type can hold and that was most likely meant. It never suggests `*`, and suggests a
 * wildcard only for a text with one: a typing mistake must not lead to more rights.
 */
export function nearestScope(scope: string, type: KeyType): string {
  const held = type === "publishable" ? ALLOWED_FOR_PUBLISHABLE : GRANTABLE;
  return nearestOf(
    scope,
    [...held].filter((each) => (scope.includes("*") ? each !== "*" : isAction(each))),
  );
}

/** The scope that can be asked for and was most likely meant. */
export function nearestAction(scope: string): string {
  return nearestOf(scope, CATALOGUE);
}

/** The nearest of the scopes that begin with the domain that a text names, else of those that contain it, else of all. */
function nearestOf(scope: string, known: readonly string[]): string {
  const [domain = ""] = scope.toLowerCase().split(/[:*.]/, 1);
  const choices = [known.filter((each) => each.startsWith(domain)), known.filter((each) => each.includes(domain))];
  return nearest(scope, choices.find((choice) => choice.length > 0) ?? known);
}

/** Whether holding `held` grants `wanted`: itself, everything by `*`, everything below its colon by `domain:*`. */
function grants(held: string, wanted: string): boolean {
  if (!isGrantable(held)) return false;
  if (held === "*" || held === wanted) return true;
  return held.endsWith(":*") && wanted.startsWith(held.slice(0, -1));
}

/** Whether any of the held scopes grants `wanted`. */
export function anyGrants(held: readonly string[], wanted: string): boolean {
  return held.some((scope) => grants(scope, wanted));
}

/**
 * The blocked scope whose effect a publishable key with `scope` would share, if any: `billing:read` lies within
 * `billing:*`, and `users:*` contains `users:impersonate`.
 */
export function blockedForPublishable(scope: string): string | undefined {
  return BLOCKED_FOR_PUBLISHABLE.find((blocked) =>
    blocked === "*" ? scope === "*" : grants(scope, blocked) || grants(blocked, scope),
  );
}

const ALLOWED_FOR_PUBLISHABLE: ReadonlySet<string> = new Set(
  [...GRANTABLE].filter((scope) => blockedForPublishable(scope) === undefined),
);

/** Filters out scopes that a publishable key cannot have: a tampered row must not grant them. */
export function allowedForPublishable(held: readonly string[]): readonly string[] {
  return held.filter((scope) => ALLOWED_FOR_PUBLISHABLE.has(scope));
}

/** Whether a key is authorized for the scope. */
export function keyMay({ type, permissions }: Pick<KeyRecord, "type" | "permissions">, wanted: string): boolean {
  return type === "secret" ? anyGrants(permissions, wanted) : publishableMay(permissions, wanted);
}

/** Whether a publishable key with these scopes is authorized for the scope. It never is for a blocked one. */
export function publishableMay(held: readonly string[], wanted: string): boolean {
  return anyGrants(allowedForPublishable(held), wanted);
}

function domainOf(scope: string): string {
  return scope.slice(0, scope.indexOf(":"));
}
