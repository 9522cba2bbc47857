import { credentialsOf, withoutClaims } from "./auth-headers.ts";
import { putCaller, type VerifiedCaller } from "./caller.ts";
import type { Verify } from "./verification.ts";

export type FetchHandler = (request: Request) => Promise<Response>;
export type GuardedFetchHandler = (request: Request, caller: VerifiedCaller) => Response | Promise<Response>;

/** Wraps a handler of web requests; what it answers gets the key's limit headers. */
export function guardFetch(verify: Verify, scopes: readonly string[], handler: GuardedFetchHandler): FetchHandler {
  return async (incoming) => {
    const verdict = await verify(credentialsOf(incoming.headers), scopes);
    if (verdict.kind === "refused") {
      const { status, headers, body } = verdict.refusal;
      return new Response(body, { status, headers });
    }
    const request = withoutClaims(incoming);
    putCaller(request, verdict.caller);
    return withHeaders(await handler(request, verdict.caller), verdict.limitHeaders);
  };
}

/** Some responses' headers cannot be changed, those of `fetch` and `Response.redirect` among them. */
function withHeaders(response: Response, added: Headers): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of added) headers.set(name, value);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
