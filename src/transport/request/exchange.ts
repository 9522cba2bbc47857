import type { IncomingHttpHeaders } from "node:http";
import type { Readable, Writable } from "node:stream";

/** What carries an exchange over HTTP/2, and is not there over HTTP/1.1. */
interface Http2Stream {
  readonly destroyed: boolean;
  /** Reset, though perhaps not taken down yet. */
  readonly closed: boolean;
  /** Its connection; absent once it has been taken down. */
  readonly session?: object | undefined;
}

/** A request, as Node's HTTP/1.1 and HTTP/2 servers both give it. */
export interface Incoming extends Readable {
  /** Whether all of it has arrived; over HTTP/2 also where its client has left. */
  readonly complete: boolean;
  readonly httpVersion: string;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent, repeated ones too. */
  readonly rawHeaders: readonly string[];
  readonly stream?: Http2Stream;
}

/** The way back, as both give it. */
export interface Outgoing extends Writable {
  statusCode: number;
  readonly stream?: Http2Stream;
  setHeader(name: string, value: string): unknown;
  /** Headers by name, or names and values in turns. */
  writeHead(status: number, headers: Record<string, string> | string[]): unknown;
  addTrailers(trailers: Record<string, string>): unknown;
}

export type ExchangeListener = (req: Incoming, res: Outgoing) => void;

/** Whether the client has left. No further event will say so; ask before either side has ended. */
export function isDisconnected({ destroyed, stream }: Pick<Incoming | Outgoing, "destroyed" | "stream">): boolean {
  return destroyed || (stream !== undefined && (stream.destroyed || stream.closed));
}
