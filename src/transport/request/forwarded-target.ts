import type { ProofTarget } from "../../domain/access-tokens/proof.ts";

const NAMES = ["method", "proto", "host", "uri"].map((part) => `x-forwarded-${part}`);
const ORIGINAL_NAMES = ["x-original-method", "x-original-url"];
/** The headers, in lower case, by which a proxy describes for which request it asks. */
export const TARGET_HEADERS: ReadonlySet<string> = new Set([...NAMES, ...ORIGINAL_NAMES]);

/**
 * The request of a proxy's client, as the proxy describes it: with `X-Forwarded-Method`, `-Proto`, `-Host` and `-Uri` (Traefik,
 * Caddy), or with `X-Original-Method` and `X-Original-URL` (ingress-nginx). Undefined: it describes none, or two. A proxy that
 * writes one kind passes on the other kind as its client wrote it, so that both must say the same.
 */
export function forwardedTarget(rawHeaders: readonly string[]): ProofTarget | undefined {
  const values = new Map<string, string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? "";
    if (!TARGET_HEADERS.has(name)) continue;
    // One of them is the client's own.
    if (values.has(name)) return undefined;
    values.set(name, rawHeaders[i + 1] ?? "");
  }
  const [method, proto, host, uri] = NAMES.map((name) => values.get(name));
  const isWhole = proto !== undefined && host !== undefined && uri !== undefined;
  const forwarded = targetOf(method, isWhole ? `${proto}://${host}${uri}` : undefined);
  const original = targetOf(...ORIGINAL_NAMES.map((name) => values.get(name)));
  if (forwarded === undefined || original === undefined) return forwarded ?? original;
  return forwarded.method === original.method && forwarded.url === original.url ? forwarded : undefined;
}

/** A path alone would be one of this service. */
function targetOf(method?: string, url?: string): ProofTarget | undefined {
  if (method === undefined || url === undefined || url.startsWith("/")) return undefined;
  return { method, url };
}
