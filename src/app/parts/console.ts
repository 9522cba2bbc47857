import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LRUCache } from "lru-cache";
import type { ConsoleConfig, DashboardProvider } from "../../config/settings.ts";
import type { ProviderMetadata } from "../../domain/tokens/provider-metadata.ts";
import { type DiscoveredSignIn, discoverSignIn } from "../../domain/tokens/sign-in.ts";
import {
  type ConsoleArea,
  type ConsolePorts,
  type ConsoleSettings,
  createConsole,
} from "../../transport/endpoints/console.ts";
import type { Part, PartContext } from "../part.ts";

/** Where the built pages are: beside a built program, or where `npm run build:console` puts them. */
const FOLDERS = ["./console/", "../../../console/dist/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
/** Ms for which endpoints of the identity provider are used without being discovered again, and for a problem. */
const KNOWN_MS = 600_000;
const PROBLEM_MS = 10_000;

/** The pages for a tenant's people. */
export function openConsole(ctx: PartContext): Part {
  return { endpoints: { console: pagesByPort(ctx) } };
}

/** Undefined: the console is switched off, or not built. */
function pagesByPort({ config, watch, access }: PartContext): ConsolePorts | undefined {
  const { console: settings, adminPort } = config;
  if (settings === null) return undefined;
  const folder = FOLDERS.find((path) => existsSync(path));
  if (folder === undefined) {
    watch.log.warn("the console is not served: it is not built; run npm run build:console");
    return undefined;
  }
  const { dashboard } = access;
  const discover = rememberSignIn(dashboard, access.tokens);
  const pagesOf = (area: ConsoleArea) => {
    const served = {
      roles: [...config.access.roles.keys()],
      default_requests_per_minute: config.rateLimitDefault.requestsPerMinute,
      area,
    };
    return createConsole({
      folder,
      settings: async () => settingsFor(settings, dashboard, await discover(), served),
    });
  };
  return adminPort === null ? { main: pagesOf("all") } : { main: pagesOf("tenant"), admin: pagesOf("operator") };
}

/** Discovers at the first visit, so that a provider that is away does not keep the service from starting. */
function rememberSignIn(
  dashboard: DashboardProvider | null,
  providers: ProviderMetadata,
): () => Promise<DiscoveredSignIn> {
  if (dashboard === null) return async () => ({ problem: "No identity provider is set up: set OIDC_ISSUER." });
  const { issuer, jwksOwner } = dashboard.expectation;
  const known = new LRUCache<"sign-in", DiscoveredSignIn>({
    max: 1,
    ttl: KNOWN_MS,
    fetchMethod: async (_key, _stale, { options }) => {
      const found = await discoverSignIn(providers, issuer, jwksOwner);
      if ("problem" in found) options.ttl = PROBLEM_MS;
      return found;
    },
  });
  return () => known.forceFetch("sign-in");
}

/** What the pages show of the service. */
interface ServiceSettings {
  readonly roles: readonly string[];
  readonly default_requests_per_minute: number;
  readonly area: ConsoleArea;
}

function settingsFor(
  { clientId, scope, token, parameters }: ConsoleConfig,
  dashboard: DashboardProvider | null,
  found: DiscoveredSignIn,
  served: ServiceSettings,
): ConsoleSettings {
  if (clientId === null && dashboard !== null) {
    const problem = "Sign-in is not set up: set CONSOLE_CLIENT_ID to a public client of the identity provider.";
    return { json: { problem }, origins: [] };
  }
  if ("problem" in found) return { json: { problem: found.problem }, origins: [] };
  const { metadata: provider } = found;
  return {
    json: { provider, client_id: clientId, scope, token, parameters, ...served },
    origins: [new URL(provider.token_endpoint).origin],
  };
}
