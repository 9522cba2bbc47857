import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { Caller, type Policy, policy as policyOption } from "../../gen/latchkey/v1/policy_pb.ts";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { builtInRoles } from "../../src/domain/access/authority.ts";
import { createCatalogue } from "../../src/domain/access/catalogue.ts";
import { CALLERS, EXAMPLE_ROLES, type TableCaller } from "./callers.ts";
import { table } from "./markdown-table.ts";

// What the tables say is computed here from the protos and the roles, and not by the code that decides requests: a test
// compares each cell with the running service.

const KINDS = {
  operator: Caller.OPERATOR,
  secret_key: Caller.SECRET_KEY,
  token: Caller.SECRET_KEY,
  publishable_key: Caller.PUBLISHABLE_KEY,
  user: Caller.DASHBOARD_USER,
} as const;
const RESERVED = /^(?:system|tenants):/;

const catalogue = createCatalogue();
const ROLES = new Map([...builtInRoles(catalogue), ...Object.entries(EXAMPLE_ROLES)]);

/** What a cell can say. */
export type Cell = "yes" | "401" | "scope" | "token" | "tenant";
/** How the page shows a cell: a table of signs is read at a glance. */
const SIGNS: Readonly<Record<Cell, string>> = { yes: "✓", "401": "×", scope: "–", token: "△", tenant: "○" };

/** Each RPC, by its path, with a cell for each caller. */
export function rpcTable(): { readonly path: string; readonly cells: readonly Cell[] }[] {
  return SERVICES.flatMap(({ methods }) => methods).map((method) => ({
    path: pathOf(method),
    cells: CALLERS.map(({ credentials }) => cellOf(credentials, getOption(method, policyOption))),
  }));
}

/** Each scope with the roles that have it, in an ordinary tenant and in the operator's. */
export function scopeTable(): { readonly scope: string; readonly cells: readonly ("yes" | "operator" | "")[] }[] {
  return catalogue.scopes.map(({ name: scope }) => ({
    scope,
    cells: [...ROLES.values()].map((held) => {
      if (!hasScope(held, scope, true)) return "";
      return RESERVED.test(scope) ? "operator" : "yes";
    }),
  }));
}

export const ROLE_NAMES: readonly string[] = [...ROLES.keys()];

/** Both tables, as Markdown. */
export function markdown(): string {
  const scopes = scopeTable().map(({ scope, cells }) => [`\`${scope}\``, ...cells.map(scopeSign)]);
  const rpcs = rpcTable().map(({ path, cells }) => [
    `\`${path.replace("/api/v1/", "")}\``,
    ...cells.map((cell) => SIGNS[cell]),
  ]);
  return [
    "Scopes of each role, of which some are only in the operator's tenant:",
    table(["Scope", ...ROLE_NAMES.map((role) => `\`${role}\``)], scopes),
    "RPCs under `/api/v1/`: ✓ may call, – is 403 `insufficient_scope`, △ the same with the reason `token_not_allowed`, ○ is 403 `tenant_required`, × is 401 `missing_credentials`. `auth/verify` admits a user without a tenant if the request has `tenant_optional`:",
    table(["RPC", ...CALLERS.map(({ name }) => name)], rpcs),
  ].join("\n\n");
}

function scopeSign(cell: string): string {
  if (cell === "operator") return "operator's";
  return cell === "yes" ? SIGNS.yes : cell;
}

function cellOf(credentials: TableCaller["credentials"], policy: Policy): Cell {
  const { callers, scope, userScope, tenantOptional, tokens } = policy;
  const { kind } = credentials;
  if (callers.includes(Caller.ANYONE)) return "yes";
  if (kind === "none") return "401";
  if (kind === "token" && !tokens) return "token";
  if (!callers.includes(KINDS[kind])) return "scope";
  if (kind === "operator") return "yes";
  if (kind === "secret_key" || kind === "token" || kind === "publishable_key") {
    return scope === "" || hasScope(credentials.permissions, scope, false) ? "yes" : "scope";
  }
  if (credentials.tenant === "none" && !tenantOptional) return "tenant";
  const held = ROLES.get(credentials.role) ?? [];
  return userScope === "" || hasScope(held, userScope, credentials.tenant === "operator") ? "yes" : "scope";
}

function hasScope(held: readonly string[], wanted: string, withReserved: boolean): boolean {
  if (RESERVED.test(wanted) && !withReserved) return false;
  const [domain] = wanted.split(":");
  return held.includes("*") || held.includes(wanted) || held.includes(`${domain}:*`);
}

function pathOf(method: DescMethod): string {
  return String(getOption(method, http).pattern.value);
}
