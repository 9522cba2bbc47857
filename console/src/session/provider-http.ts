import * as oauth from "oauth4webapi";
import type { Settings } from "../settings.ts";

/** Plain http where the operator's provider is plain http, as in development. */
export function httpOf({ provider }: Settings): { [oauth.allowInsecureRequests]?: true } {
  return provider.issuer.startsWith("http:") ? { [oauth.allowInsecureRequests]: true } : {};
}
