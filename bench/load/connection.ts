import { connect, type Socket } from "node:net";

export interface Target {
  readonly host: string;
  readonly port: number;
}

export interface ConnectionHandlers {
  /** The next request's bytes; undefined ends the connection's work. */
  next(): Buffer | undefined;
  answered(status: number, ms: number): void;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * One keep-alive connection with one request under way at a time, on a bare socket: every microsecond that an HTTP
 * client spends here would be missing from what the fastest server can show.
 */
export function drive(target: Target, { next, answered }: ConnectionHandlers): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ ...target, noDelay: true });
    let received = NOTHING;
    let sentAt = 0;
    let isDone = false;

    function send(): void {
      const request = next();
      if (request === undefined) {
        isDone = true;
        socket.end();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request);
    }

    socket.once("connect", send);
    socket.on("data", (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const headBytes = received.indexOf(HEAD_END);
      if (headBytes < 0 || !isComplete(received, headBytes + HEAD_END.length)) return;
      answered(statusOf(received), performance.now() - sentAt);
      received = NOTHING;
      send();
    });
    socket.once("error", reject);
    socket.once("close", () => {
      if (!isDone) reject(new Error("the server closed a keep-alive connection"));
    });
  });
}

/** Whether the body after a head has arrived: by its length, or by the last chunk of a chunked one. */
function isComplete(received: Buffer, bodyStart: number): boolean {
  const length = CONTENT_LENGTH.exec(received.toString("latin1", 0, bodyStart))?.[1];
  if (length !== undefined) return received.length >= bodyStart + Number(length);
  return received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
}

/** `HTTP/1.1 200`: three digits at a fixed place. */
function statusOf(received: Buffer): number {
  return Number(received.toString("latin1", 9, 12));
}
