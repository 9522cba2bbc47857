import { answerHeaders, forwardedFor, withoutClaims } from "./auth-headers.ts";
import { putCaller, type VerifiedCaller } from "./caller.ts";
import type { Check } from "./checks.ts";
import type { Refusal } from "./refusal.ts";
import { metadataAnswer } from "./resource.ts";
import type { GuardOptions } from "./verification.ts";

/** A handler of web requests, as a runtime or a framework calls it: with the request, and what else it gives. */
export type FetchHandler<Args extends readonly unknown[] = []> = (request: Request, ...args: Args) => Promise<Response>;
export type GuardedFetchHandler<Args extends readonly unknown[] = []> = (
  request: Request,
  caller: VerifiedCaller,
  ...args: Args
) => Response | Promise<Response>;

/** Wraps a handler of web requests; what it answers gets the headers of the verdict. */
export function guardFetch<Args extends readonly unknown[]>(
  check: Check,
  handler: GuardedFetchHandler<Args>,
  clientAddress: GuardOptions["clientAddress"] = () => undefined,
): FetchHandler<Args> {
  return async (incoming, ...args) => {
    const metadata = metadataAnswer(check.resource, incoming.method, incoming.url);
    if (metadata !== undefined) return toResponse(metadata);
    const verdict = await check(incoming.headers, forwardedFor(clientAddress(incoming, ...args)));
    if (verdict.kind === "refused") return toResponse(verdict);
    const request = withoutClaims(incoming);
    // A framework's own handlers go on with the request that came.
    for (const each of new Set([incoming, request])) putCaller(each, verdict.caller);
    return withHeaders(await handler(request, verdict.caller, ...args), verdict.headers);
  };
}

export function toResponse({ status, headers, body }: Refusal): Response {
  return new Response(body === "" ? null : body, { status, headers });
}

/**
 * Some responses' headers cannot be changed, those of `fetch` and `Response.redirect` among them. The response as the
 * options of its copy: in a worker it may have more members than the standard's, such as a WebSocket.
 */
export function withHeaders(response: Response, verdict: Headers): Response {
  const copy = new Response(response.body, response);
  for (const [name, value] of answerHeaders(verdict, (header) => copy.headers.has(header)))
    copy.headers.set(name, value);
  return copy;
}
