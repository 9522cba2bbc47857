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
  /** An issuer at a path of its own whose metadata names the document of these keys. */
  issuer(...keys: readonly unknown[]): { readonly issuer: string; document: KeyDocument; metadata: KeyDocument };
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

  function serve(path: string, ...keys: readonly unknown[]): KeyDocument {
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
  }

  return {
    host,
    document: (...keys) => serve(`/${documents.size}/jwks.json`, ...keys),
    issuer(...keys) {
      const path = `/${documents.size}`;
      const issuer = `http://${host}${path}`;
      const document = serve(`${path}/keys`, ...keys);
      const metadata = serve(`${path}/.well-known/openid-configuration`);
      const text = JSON.stringify({ issuer, jwks_uri: document.url, response_types_supported: ["code"] });
      metadata.respond = (_req, res) => res.end(text);
      return { issuer, document, metadata };
    },
    close: () => closeAll(server),
  };
}

/** Without a listener. It is the port of the discard service, which the system gives to no server that asks for any port. */
export const CLOSED_HOST = "127.0.0.1:9";
