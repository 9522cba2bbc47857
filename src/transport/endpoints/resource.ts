import type { ProtectedResource } from "../../domain/access/protected-resource.ts";
import type { Endpoint } from "./endpoint.ts";
import { page, pageAnswer } from "./page.ts";

/** Serves the metadata of the resource (RFC 9728) to anyone: its proxy passes the path on to this service. */
export function resourceMetadata(
  resource: ProtectedResource,
): Pick<Endpoint, "path"> & { answer: (req: Parameters<Endpoint["answer"]>[0]) => ReturnType<typeof pageAnswer> } {
  const { url, authorizationServers, scopes, metadataUrl } = resource;
  const document = {
    resource: url,
    authorization_servers: authorizationServers,
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
  };
  const served = page("application/json", JSON.stringify(document), { "access-control-allow-origin": "*" });
  return {
    path: new URL(metadataUrl).pathname,
    answer: ({ headers }) => pageAnswer(served, headers["if-none-match"]),
  };
}
