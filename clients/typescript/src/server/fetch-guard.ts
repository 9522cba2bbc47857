import { checkedHeadersOf, forwardedFor, withoutClaims } from "./auth-headers.ts";
import { putCaller, type VerifiedCaller } from "./caller.ts";
import type { Refusal } from "./refusal.ts";
import { metadataAnswer } from "./resource.ts";
import type { Question } from "./verdict.ts";
import type { GuardOptions, Verify } from "./verification.ts";

/** A handler of web requests, as a runtime or a framework calls it: with the request, and what else it gives. */
export type FetchHandler<Args extends readonly unknown[] = []> = (request: Request, ...args: Args) => Promise<Response>;
export type GuardedFetchHandler<Args extends readonly unknown[] = []> = (
  request: Request,
  caller: VerifiedCaller,
  ...args: Args
) => Response | Promise<Response>;

/** Wraps a handler of web requests; what it answers gets the key's limit headers. */
export function guardFetch<Args extends readonly unknown[]>(
  verify: Verify,
  question: Question,
  handler: GuardedFetchHandler<Args>,
  clientAddress: GuardOptions["clientAddress"] = () => undefined,
): FetchHandler<Args> {
  return async (incoming, ...args) => {
    const metadata = metadataAnswer(verify.resource, incoming.method, incoming.url);
    if (metadata !== undefined) return toResponse(metadata);
    const address = clientAddress(incoming, ...args);
    const verdict = await verify(checkedHeadersOf(incoming.headers), forwardedFor(address), question);
    if (verdict.kind === "refused") return toResponse(verdict.refusal);
    const request = withoutClaims(incoming);
    // A framework's own handlers go on with the request that came.
    for (const each of new Set([incoming, request])) putCaller(each, verdict.caller);
    return withHeaders(await handler(request, verdict.caller, ...args), verdict.limitHeaders);
  };
}

export function toResponse({ status, headers, body }: Refusal): Response {
  return new Response(body === "" ? null : body, { status, headers });
}

/**
 * Some responses' headers cannot be changed, those of `fetch` and `Response.redirect` among them. The response as the
 * options of its copy: in a worker it may have more members than the standard's, such as a WebSocket.
 */
export function withHeaders(response: Response, added: Headers): Response {
  const copy = new Response(response.body, response);
  for (const [name, value] of added) copy.headers.set(name, value);
  return copy;
}
