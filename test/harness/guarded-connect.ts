import { createServer } from "node:http";
import { createServer as createHttp2Server, type Http2Session } from "node:http2";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { type ConnectRouter, createContextKey, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Guard } from "../../clients/typescript/src/server/index.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { type Answer, toAnswer } from "./http.ts";

export interface GuardedConnect {
  readonly url: string;
  /** Over HTTP/2, for streams. */
  readonly http2Url: string;
  call(procedure: string, headers: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

const address = createContextKey<string | undefined>(undefined);

/**
 * Services behind `guard.connect`, on a port. An RPC without a handler of `handlers` fails with `unimplemented`, which no
 * caller sees that the guard refuses.
 */
export async function startGuarded(
  guard: Guard,
  services: readonly DescService[],
  handlers: Readonly<Record<string, (request: unknown, context: HandlerContext) => unknown>> = {},
  unlisted: readonly DescService[] = [],
): Promise<GuardedConnect> {
  const interceptor = guard.connect({ services, clientAddress: ({ contextValues }) => contextValues.get(address) });
  const routes = (router: ConnectRouter): void => {
    for (const service of [...services, ...unlisted]) {
      const own = service.methods.filter(({ localName }) => localName in handlers);
      const entries = own.map(({ localName }: DescMethod) => [localName, handlers[localName]]);
      router.service(service, Object.fromEntries(entries));
    }
  };
  const serve = connectNodeAdapter({
    routes,
    interceptors: [interceptor],
    contextValues: (req) => createContextValues().set(address, req.socket.remoteAddress),
  });
  const server = createServer(serve);
  const http2 = createHttp2Server(serve);
  const sessions = new Set<Http2Session>();
  http2.on("session", (session) => sessions.add(session));
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const call: GuardedConnect["call"] = async (procedure, headers) =>
    toAnswer(
      await fetch(`${url}${procedure}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: "{}",
      }),
    );
  const http2Url = `http://127.0.0.1:${await listenOnLoopback(http2)}`;
  const close = async (): Promise<void> => {
    for (const session of sessions) session.destroy();
    http2.close();
    await closeAll(server);
  };
  return { url, http2Url, call, close };
}
