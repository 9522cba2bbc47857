import roles from "../../examples/access/roles.json" with { type: "json" };

/** Callers of the table: each kind, with the rights that make a difference. */
export interface TableCaller {
  /** The head of its column. */
  readonly name: string;
  readonly credentials:
    | { readonly kind: "none" }
    | { readonly kind: "operator" }
    | { readonly kind: "secret_key"; readonly permissions: readonly string[] }
    /** A token with all that its secret key has. */
    | { readonly kind: "token"; readonly permissions: readonly string[] }
    | { readonly kind: "publishable_key"; readonly permissions: readonly string[] }
    | { readonly kind: "user"; readonly role: string; readonly tenant: "own" | "operator" | "none" };
}

/** The roles of the example beside the built-in ones. */
export const EXAMPLE_ROLES: Readonly<Record<string, readonly string[]>> = roles;

const user = (role: string, tenant: "own" | "operator" | "none" = "own") => ({ kind: "user", role, tenant }) as const;

export const CALLERS: readonly TableCaller[] = [
  { name: "none", credentials: { kind: "none" } },
  { name: "`sk_` with `*`", credentials: { kind: "secret_key", permissions: ["*"] } },
  { name: "`sk_` with `plans:read`", credentials: { kind: "secret_key", permissions: ["plans:read"] } },
  { name: "token with `*`", credentials: { kind: "token", permissions: ["*"] } },
  { name: "token with `plans:read`", credentials: { kind: "token", permissions: ["plans:read"] } },
  {
    name: "`pk_` with `conversations:*`",
    credentials: { kind: "publishable_key", permissions: ["conversations:*"] },
  },
  { name: "`pk_` with `plans:read`", credentials: { kind: "publishable_key", permissions: ["plans:read"] } },
  ...["owner", "admin", "developer", "viewer", ...Object.keys(roles)].map((role) => ({
    name: `\`${role}\``,
    credentials: user(role),
  })),
  { name: "unknown role", credentials: user("superuser") },
  { name: "no tenant", credentials: user("owner", "none") },
  { name: "operator's `owner`", credentials: user("owner", "operator") },
  { name: "operator's `viewer`", credentials: user("viewer", "operator") },
  { name: "operator's token", credentials: { kind: "operator" } },
];
