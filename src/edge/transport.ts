import type { Interceptor, Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";

export interface EdgeTransport {
  readonly transport: Transport;
  /** Closes the connection. */
  close(): void;
}

type SessionManager = NonNullable<Parameters<typeof createGrpcTransport>[0]["sessionManager"]>;

/** The way to the service, with the token of now. Its connection keeps no process alive: only calls with a time limit do, by the timer of that. */
export function createEdgeTransport(baseUrl: string, token: () => string): EdgeTransport {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set("Authorization", `Bearer ${token()}`);
    return next(request);
  };
  const sessions = new Http2SessionManager(baseUrl);
  const sessionManager: SessionManager = {
    authority: sessions.authority,
    async request(...call) {
      const stream = await sessions.request(...call);
      // Each first stream keeps the process alive, and the one that follows a replica never ends.
      stream.session?.unref();
      return stream;
    },
    notifyResponseByteRead: (stream) => sessions.notifyResponseByteRead(stream),
  };
  return {
    transport: createGrpcTransport({ baseUrl, sessionManager, interceptors: [authorize] }),
    close: () => sessions.abort(),
  };
}
