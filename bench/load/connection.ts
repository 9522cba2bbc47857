import { connect, type Socket } from "node:net";

export interface Target {
  readonly host: string;
  readonly port: number;
}

export interface ConnectionHandlers {
  /** The next request's bytes; undefined ends the connection's work. */
  next(): Buffer | undefined;
  /** For how long the next request has to wait. */
  pauseMs(): number;
  answered(status: number, ms: number): void;
  /** After so many ms without an answer the connection is closed, and another one goes on. Default: it waits. */
  readonly giveUpMs?: number;
  givenUp?(): void;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
/** As much as is read of an answer at once. */
const READ_BYTES = 65_536;

/**
 * One keep-alive connection with one request under way at a time, on a bare socket: every microsecond that an HTTP
 * client spends here would be missing from what the fastest server can show. For the same reason it reads into a buffer of
 * its own: one for each answer would have to be collected, and each collection would look like a server that is slow.
 */
export function drive(target: Target, handlers: ConnectionHandlers): Promise<void> {
  const { next, pauseMs, answered, giveUpMs, givenUp } = handlers;
  return new Promise((resolve, reject) => {
    let earlier: Buffer | undefined;
    let sentAt = 0;
    let isDone = false;
    let patience: NodeJS.Timeout | undefined;
    const socket: Socket = connect({
      ...target,
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: receive },
    });

    function giveUp(): void {
      isDone = true;
      socket.destroy();
      givenUp?.();
      resolve(drive(target, handlers));
    }

    function sendWhenDue(): void {
      const ms = pauseMs();
      if (ms > 0) setTimeout(send, ms);
      else send();
    }

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
      if (giveUpMs !== undefined) patience = setTimeout(giveUp, giveUpMs);
    }

    function receive(bytes: number, buffer: Uint8Array): boolean {
      const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, bytes);
      const received = earlier === undefined ? chunk : Buffer.concat([earlier, chunk]);
      const headBytes = received.indexOf(HEAD_END);
      if (headBytes < 0 || !isComplete(received, headBytes + HEAD_END.length)) {
        earlier = Buffer.from(received);
        return true;
      }
      earlier = undefined;
      clearTimeout(patience);
      answered(statusOf(received), performance.now() - sentAt);
      sendWhenDue();
      return true;
    }

    socket.once("connect", sendWhenDue);
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
