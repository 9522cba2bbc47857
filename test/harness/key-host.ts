import { createServer, type RequestListener } from "node:http";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** A JWKS document at a path of its own. What is answered can be changed at any time. */
export interface KeyDocument {
  readonly url: string;
  /** How often it was requested. */
  requests: number;
  respond: RequestListener;
  /** Publishes these members of `keys`. */
  publish(...keys: readonly unknown[]): void;
}

/** One loopback host with the documents of as many identity providers as a test likes. */
export interface KeyHost {
  /** As it stands in `JWKS_ALLOWED_HOSTS`. */
  readonly host: string;
  document(...keys: readonly unknown[]): KeyDocument;
  close(): Promise<void>;
}

export async function startKeyHost(): Promise<KeyHost> {
  const documents = new Map<string, KeyDocument>();
  const server = createServer((req, res) => {
    const document = documents.get(req.url ?? "");
    if (document === undefined) return void res.writeHead(404).end();
    document.requests++;
    document.respond(req, res);
  });
  const host = `127.0.0.1:${await listenOnLoopback(server)}`;
  return {
    host,
    document(...keys) {
      const path = `/${documents.size}/jwks.json`;
      const document: KeyDocument = {
        url: `http://${host}${path}`,
        requests: 0,
        respond: () => {},
        publish(...published) {
          const text = JSON.stringify({ keys: published });
          this.respond = (_req, res) => res.end(text);
        },
      };
      document.publish(...keys);
      documents.set(path, document);
      return document;
    },
    close: () => closeAll(server),
  };
}

/** The `host:port` of a closed listener, where connections are refused. */
export async function closedHost(): Promise<string> {
  const server = createServer();
  const host = `127.0.0.1:${await listenOnLoopback(server)}`;
  await new Promise((resolve) => server.close(resolve));
  return host;
}
