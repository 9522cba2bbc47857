import type { AuthorizationServer } from "oauth4webapi";

/** What the service says about itself to the page: `GET /console/config.json`. */
export interface Settings {
  /** The identity provider's metadata, as far as it is needed here. */
  readonly provider: AuthorizationServer & { readonly authorization_endpoint: string };
  /** This page at the provider. */
  readonly client_id: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** The token that calls are made with. */
  readonly token: "id_token" | "access_token";
  /** Additional parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Names of roles that a member may have. */
  readonly roles: readonly string[];
  /** The limit of a new key without its own. 0: no limit. */
  readonly default_requests_per_minute: number;
  /** Whose pages this port has: those of a tenant's people, of operators, or both. */
  readonly area: "all" | "tenant" | "operator";
}

/** Loads the settings, or a sentence for the operator that says what is missing. Rejects if the service is away. */
export async function loadSettings(): Promise<Settings | { readonly problem: string }> {
  const response = await fetch("/console/config.json");
  if (!response.ok) throw new Error(`The service cannot be reached: status ${response.status}.`);
  // Of our own service, from the same build.
  return (await response.json()) as Settings | { problem: string };
}
