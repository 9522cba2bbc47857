import type { IncomingHttpHeaders } from "node:http";
import type { Readable, Writable } from "node:stream";

/** The HTTP/2 stream of an exchange. Absent over HTTP/1.1. */
interface Http2Stream {
  readonly destroyed: boolean;
  /** Reset, but perhaps not destroyed yet. */
  readonly closed: boolean;
  /** Its connection. Absent after the stream was destroyed. */
  readonly session?: object | undefined;
}

/** A request, as both of Node's servers (HTTP/1.1 and HTTP/2) represent it. */
export interface Incoming extends Readable {
  /** Whether all of it has arrived. Over HTTP/2 also true after a client disconnect. */
  readonly complete: boolean;
  readonly httpVersion: string;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternate, as they were sent, with repeated headers. */
  readonly rawHeaders: readonly string[];
  /** Its connection. Over HTTP/2 an object that stands for it, made for each request. */
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly stream?: Http2Stream;
}

/** A response, as both of Node's servers represent it. */
export interface Outgoing extends Writable {
  statusCode: number;
  readonly headersSent: boolean;
  readonly stream?: Http2Stream;
  setHeader(name: string, value: string): unknown;
  /** Headers by name, or alternating names and values. */
  writeHead(status: number, headers: Record<string, string> | string[]): unknown;
  addTrailers(trailers: Record<string, string>): unknown;
}

/** Emitted on a request that may take as long as its client likes. */
export const UNLIMITED = Symbol("unlimited");

export type ExchangeListener = (req: Incoming, res: Outgoing) => void;

/** Whether the client has disconnected. Only valid before either side has ended. No further event reports the disconnect. */
export function isDisconnected({ destroyed, stream }: Pick<Incoming | Outgoing, "destroyed" | "stream">): boolean {
  return destroyed || (stream !== undefined && (stream.destroyed || stream.closed));
}
