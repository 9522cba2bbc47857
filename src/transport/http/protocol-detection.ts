import type { Socket } from "node:net";

/** How every HTTP/2 connection with prior knowledge begins. No HTTP/1.1 method does. */
const PREFACE_HEAD = Buffer.from("PRI ");

/** How every connection with TLS begins: the type of a record with a handshake. */
const TLS_HANDSHAKE = 0x16;

export type DetectedProtocol = "http1" | "http2" | "tls" | "gone" | "too_slow";

/** Tells by its first bytes, which are put back, what a new connection speaks; once, within the time for a request head. */
export function detectProtocol(socket: Socket, timeoutMs: number, tell: (first: DetectedProtocol) => void): void {
  const timeout = setTimeout(() => settle("too_slow"), timeoutMs);
  let head = Buffer.alloc(0);
  const settle = (first: DetectedProtocol): void => {
    clearTimeout(timeout);
    socket.off("readable", look).off("error", gone).off("end", gone).off("close", gone);
    tell(first);
  };
  const gone = (): void => settle("gone");
  const look = (): void => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    head = Buffer.concat([head, chunk]);
    const isPreface = startsAs(head, PREFACE_HEAD);
    // A client may send its first bytes one by one. Nothing is put back before it is clear where to: to put a byte back
    // makes the socket readable, and a look at it now would go round for ever.
    if (isPreface && head.length < PREFACE_HEAD.length) return;
    socket.off("readable", look).unshift(head);
    settle(isPreface ? "http2" : head[0] === TLS_HANDSHAKE ? "tls" : "http1");
  };
  socket.on("readable", look).on("error", gone).on("end", gone).on("close", gone);
}

function startsAs(head: Buffer, expected: Buffer): boolean {
  const bytes = Math.min(head.length, expected.length);
  return head.subarray(0, bytes).equals(expected.subarray(0, bytes));
}
