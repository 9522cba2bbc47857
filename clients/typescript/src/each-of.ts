import type { DescMessage, DescMethod, Message } from "@bufbuild/protobuf";
import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import { isObject } from "./plain-object.ts";

/** On each call of a client, for all copies of this package. */
const METHOD = Symbol.for("latchkey.method");
/** The largest page. */
const PAGE_ITEMS = 100;

/** The items of a list's response: `ApiKey` of `listApiKeys`. */
export type ItemOf<Response> = {
  [Name in Exclude<keyof Response, `$${string}`>]: Response[Name] extends readonly (infer Item)[] ? Item : never;
}[Exclude<keyof Response, `$${string}`>];

/** Marks a call with what it calls, for `eachOf`. */
export function markMethod(call: object, method: DescMethod): void {
  Reflect.defineProperty(call, METHOD, { value: method });
}

/**
 * All items of a list, page after page: `for await (const key of eachOf(client.apiKeys.listApiKeys, { scope: "plans:read" }))`.
 * `perPage` is 100, unless the request has one; a request that names a page begins with it.
 *
 * A page is read when the items of the one before are used up; a `signal` or `timeoutMs` of `options` holds for each call. In a list
 * with numbers of pages, items that others add or remove meanwhile may repeat or hide one.
 */
export async function* eachOf<Request extends object, Response extends Message>(
  call: (request: Request, options?: CallOptions) => Promise<Response>,
  request?: Request,
  options?: CallOptions,
): AsyncGenerator<ItemOf<Response>, void, undefined> {
  const { input, items } = listOf(call);
  const given: unknown = request ?? {};
  if (!isObject(given)) throw new ConnectError("the request must be an object", Code.InvalidArgument);
  const has = (name: string): boolean => input.fields.some(({ localName }) => localName === name);
  let next: Record<string, unknown> | undefined = { ...given };
  if (has("perPage")) next.perPage ??= PAGE_ITEMS;
  while (next !== undefined) {
    const asked: Record<string, unknown> = next;
    const response: Message = await call(asked as Request, options);
    const page: unknown = Reflect.get(response, items);
    // `items` is the one list of the response, as `ItemOf` has it.
    yield* page as ItemOf<Response>[];
    const token: unknown = Reflect.get(response, "nextPageToken");
    const at: unknown = Reflect.get(response, "pagination");
    if (typeof token === "string" && token !== "") next = { ...asked, pageToken: token };
    else if (isObject(at) && Number(at.page) < Number(at.totalPages)) next = { ...asked, page: Number(at.page) + 1 };
    else next = undefined;
  }
}

/** The request of a list, and the member of its response that has the items. Throws a `TypeError` for other RPCs. */
function listOf(call: object): { readonly input: DescMessage; readonly items: string } {
  const method: DescMethod | undefined = Reflect.get(call, METHOD);
  const lists = method?.output.fields.filter(({ fieldKind }) => fieldKind === "list") ?? [];
  const [list] = lists;
  if (method === undefined || list === undefined || lists.length > 1 || !method.name.startsWith("List"))
    throw new TypeError("eachOf takes a call of a client that lists, such as client.apiKeys.listApiKeys");
  return { input: method.input, items: list.localName };
}
