import type { DescMethod } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { callOf } from "../../../src/interceptors/call.ts";
import type { MethodPolicy } from "../../../src/interceptors/policies.ts";
import type { ClientAddress } from "../../../src/transport/request/client-address.ts";
import type { ExchangeListener, Incoming, Outgoing } from "../../../src/transport/request/exchange.ts";

/** What the suite's service reads and sets of a context. */
export type Context = Pick<HandlerContext, "requestHeader" | "responseHeader" | "responseTrailer" | "timeoutMs">;

/**
 * The context of a call of the lean path, which hands our services no headers, since none reads or sets one. The suite's does:
 * here they are those of Node's request and response. A call is known by its client's address, which is a number here.
 */
export function createLeanContexts() {
  const exchanges = new Map<string, { readonly req: Incoming; readonly res: Outgoing }>();
  const responses = new WeakMap<object, Outgoing>();
  let count = 0;
  const clientAddress: ClientAddress = {
    of(req) {
      const res = responses.get(req);
      if (res === undefined) return null;
      count += 1;
      exchanges.set(String(count), { req: req as Incoming, res });
      return String(count);
    },
    ofDescribed: () => null,
    isProxys: () => false,
    isFromProxy: () => false,
    ofSocket: () => null,
  };
  return {
    clientAddress,
    listener(handler: ExchangeListener): ExchangeListener {
      return (req, res) => {
        responses.set(req, res);
        handler(req, res);
      };
    },
    /** The context itself where Connect made it. */
    contextOf(context: HandlerContext): Context {
      if ("requestHeader" in context) return context;
      const { address } = callOf((context as HandlerContext).values);
      const exchange = exchanges.get(address ?? "");
      if (exchange === undefined) throw new Error("the call has no exchange");
      exchanges.delete(address ?? "");
      return leanContext(exchange);
    },
  };
}

function leanContext({ req, res }: { readonly req: Incoming; readonly res: Outgoing }): Context {
  const { headers } = req;
  const timeoutMs = headers["connect-timeout-ms"];
  const setOn = (prefix: string): Pick<Headers, "append"> => {
    const values = new Headers();
    return {
      append(name, value) {
        values.append(name, value);
        res.setHeader(`${prefix}${name}`, values.get(name) ?? "");
      },
    };
  };
  return {
    requestHeader: new Headers(Object.entries(headers).flatMap(textHeader)),
    // The service only appends.
    responseHeader: setOn("") as Headers,
    responseTrailer: setOn("trailer-") as Headers,
    timeoutMs: () => (timeoutMs === undefined ? undefined : Number(timeoutMs)),
  };
}

function textHeader([name, value]: [string, string | string[] | undefined]): [string, string][] {
  return typeof value === "string" && !name.startsWith(":") ? [[name, value]] : [];
}

/** Admits anyone. */
export function openPolicy(method: DescMethod): MethodPolicy {
  return {
    callers: new Set(["anonymous"]),
    scope: null,
    path: `/conformance/${method.name}`,
    formerMembers: false,
    ignoreUnknownMembers: true,
    noStore: false,
    auditAction: null,
    userScope: null,
    tenantOptional: false,
    tokens: false,
  };
}
