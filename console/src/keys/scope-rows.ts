import type { Scope } from "../../../clients/typescript/src/gen/latchkey/v1/scope_service_pb.ts";
import { grants } from "../api/permissions.ts";

/** Of the operator's own tenant: no other can use them, and none should be tempted. */
const RESERVED = ["system", "tenants"];

/** What a key may do in a domain: nothing, reading, reading and writing, all that there is and will be, or another choice. */
export type Level = "none" | "read" | "write" | "all" | "single";

export interface ScopeRow {
  readonly domain: string;
  /** Those that can be given. */
  readonly scopes: readonly Scope[];
  /** The levels that can be chosen. `single` always can. */
  readonly levels: readonly Level[];
}

interface Offer {
  readonly isPublishable: boolean;
  /** What the user may do themselves: no other scope can be given. */
  readonly may: (scope: string) => boolean;
  /** The scopes of the tenant's rules. Empty: all. */
  readonly allowed: readonly string[];
}

/** The domains of which something can be given, each with it. */
export function scopeRows(all: readonly Scope[], { isPublishable, may, allowed }: Offer): ScopeRow[] {
  const isOffered = (scope: string): boolean => may(scope) && (allowed.length === 0 || grants(allowed, scope));
  const byDomain = Map.groupBy(all, ({ name }) => domainOf(name));
  return [...byDomain].flatMap(([domain, known]) => {
    if (RESERVED.includes(domain)) return [];
    const scopes = known.filter(({ name, publishable }) => isOffered(name) && (publishable || !isPublishable));
    if (scopes.length === 0) return [];
    const has = (action: string): boolean => scopes.some(({ name }) => name === `${domain}:${action}`);
    const hasAll = isOffered(`${domain}:*`) && (!isPublishable || scopes.length === known.length);
    const levels: (Level | false)[] = [
      "none",
      has("read") && "read",
      has("read") && has("write") && "write",
      hasAll && "all",
      "single",
    ];
    return [{ domain, scopes, levels: levels.filter((level) => level !== false) }];
  });
}

/** Which level the chosen scopes are. */
export function levelOf({ domain }: ScopeRow, chosen: readonly string[]): Level {
  const own = scopesIn(domain, chosen);
  if (own.includes(`${domain}:*`)) return "all";
  const actions = own.map((scope) => scope.slice(domain.length + 1)).sort();
  switch (actions.join(" ")) {
    case "":
      return "none";
    case "read":
      return "read";
    case "read write":
      return "write";
    default:
      return "single";
  }
}

/** The scopes with another level of one domain. */
export function withLevel({ domain }: ScopeRow, level: Level, chosen: readonly string[]): readonly string[] {
  const others = chosen.filter((scope) => domainOf(scope) !== domain);
  switch (level) {
    case "none":
      return others;
    case "read":
      return [...others, `${domain}:read`];
    case "write":
      return [...others, `${domain}:read`, `${domain}:write`];
    case "all":
      return [...others, `${domain}:*`];
    case "single":
      return chosen.filter((scope) => scope !== `${domain}:*`);
    default:
      return level satisfies never;
  }
}

/** Every row at the highest of these levels that it has. */
export function atLevel(rows: readonly ScopeRow[], levels: readonly Level[]): readonly string[] {
  return rows.reduce<readonly string[]>((chosen, row) => {
    const level = levels.find((one) => row.levels.includes(one));
    return level === undefined ? chosen : withLevel(row, level, chosen);
  }, []);
}

/** Scopes that a key has and no row shows, such as those of before: they are listed, so that they are kept or removed knowingly. */
export function othersOf(rows: readonly ScopeRow[], chosen: readonly string[]): string[] {
  return chosen.filter(
    (scope) =>
      !rows.some(
        ({ domain, scopes }) =>
          scope === `${domain}:*` || (domainOf(scope) === domain && scopes.some(({ name }) => name === scope)),
      ),
  );
}

function domainOf(scope: string): string {
  return scope.split(":")[0] ?? "";
}

function scopesIn(domain: string, chosen: readonly string[]): string[] {
  return chosen.filter((scope) => domainOf(scope) === domain);
}

export function titleOf(domain: string): string {
  const title = TITLES[domain];
  if (title !== undefined) return title;
  const words = domain.replaceAll(/[_-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const TITLES: Readonly<Record<string, string>> = { api_keys: "API keys", audit: "Audit trail", org: "Organization" };
