import type { JsonObject } from "@bufbuild/protobuf";
import { KINDS, type Kind, type ProxyRule, queryOf, REFUSAL } from "./proxy-checks.ts";

const TYPES = "type.googleapis.com/envoy";
const EXT_AUTHZ = "envoy.filters.http.ext_authz";
/** Of a route that passes `ext_authz`. */
const UNCHECKED = perRoute({ disabled: true });
/** In this order: a key that begins with `pk_`, any other key, no key. */
const HEADERS: Record<Kind, JsonObject> = {
  publishable_key: { name: "x-api-key", string_match: { prefix: "pk_" } },
  secret_key: { name: "x-api-key", present_match: true },
  dashboard_user: { name: "x-api-key", present_match: true, invert_match: true },
};

/** The clusters of Envoy's configuration: the guarded service, and Latchkey. */
export interface Clusters {
  readonly upstream: string;
  readonly latchkey: string;
}

/** How `ext_authz` asks Latchkey. */
export type Protocol = "http" | "grpc";

/** Routes for each RPC and kind of caller, as a file for Envoy's route discovery (RDS). Other requests get 404. */
export function envoyRoutes(rules: readonly ProxyRule[], clusters: Clusters, protocol: Protocol): string {
  const notFound = { match: { prefix: "/" }, direct_response: { status: 404 }, typed_per_filter_config: UNCHECKED };
  const configuration = {
    "@type": `${TYPES}.config.route.v3.RouteConfiguration`,
    name: "latchkey",
    virtual_hosts: [
      {
        name: "latchkey",
        domains: ["*"],
        // The service needs no credentials, so it gets none.
        request_headers_to_remove: ["x-api-key", "authorization", "x-on-behalf-of"],
        routes: [...rules.flatMap((rule) => routesOf(rule, clusters, protocol)), notFound],
      },
    ],
  };
  return `${JSON.stringify({ resources: [configuration] }, null, 2)}\n`;
}

function routesOf({ path, checks }: ProxyRule, clusters: Clusters, protocol: Protocol): readonly JsonObject[] {
  const route = { cluster: clusters.upstream };
  if (checks === undefined) return [{ match: { path }, route, typed_per_filter_config: UNCHECKED }];
  return KINDS.map((kind) => {
    const match = { path, headers: [HEADERS[kind]] };
    const check = checks[kind];
    if (check.kind === "refuse") return { match, ...refusal(), typed_per_filter_config: UNCHECKED };
    const asked = protocol === "grpc" ? askingByGrpc(check.scope) : asking(queryOf(check) ?? "", clusters.latchkey);
    return { match, route, typed_per_filter_config: asked };
  });
}

/** Envoy would send the body as text. */
function refusal(): JsonObject {
  const header = { key: "content-type", value: "application/json" };
  return {
    direct_response: { status: 403, body: { inline_string: REFUSAL } },
    response_headers_to_add: [{ header, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" }],
  };
}

/** Without a scope the filter only asks for a valid caller. */
function askingByGrpc(scope: string | undefined): JsonObject {
  return perRoute({ check_settings: { context_extensions: scope === undefined ? {} : { scope } } });
}

/** The filter's own service is replaced as a whole, so all of it is here. */
function asking(query: string, cluster: string): JsonObject {
  const http_service = {
    server_uri: { uri: "http://latchkey", cluster, timeout: "8s" },
    // Envoy appends the path of the request. Latchkey reads nothing behind path=.
    path_prefix: `/auth/check?${query === "" ? "" : `${query}&`}path=`,
    authorization_response: {
      allowed_upstream_headers: { patterns: [prefix("x-auth-")] },
      allowed_client_headers: {
        patterns: [
          prefix("x-ratelimit-"),
          ...["retry-after", "content-type", "www-authenticate", "x-request-id"].map((exact) => ({
            exact,
            ignore_case: true,
          })),
        ],
      },
      allowed_client_headers_on_success: { patterns: [prefix("x-ratelimit-")] },
    },
  };
  return perRoute({ check_settings: { http_service } });
}

function prefix(text: string): JsonObject {
  return { prefix: text, ignore_case: true };
}

function perRoute(override: JsonObject): JsonObject {
  return { [EXT_AUTHZ]: { "@type": `${TYPES}.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute`, ...override } };
}
