import type { Socket } from "node:net";

/** The first bytes of every HTTP/2 connection with prior knowledge. No HTTP/1.1 method begins so. */
const PREFACE_HEAD = Buffer.from("PRI ");

/** The first byte of every TLS connection: the type of a handshake record. */
const TLS_HANDSHAKE = 0x16;

export type DetectedProtocol = "http1" | "http2" | "tls" | "gone" | "too_slow";

/**
 * Detects the protocol of a new connection from its first bytes, and puts them back. Calls `report` once: with `too_slow`
 * after `timeoutMs`, with `gone` if the client disconnects first.
 */
export function detectProtocol(socket: Socket, timeoutMs: number, report: (detected: DetectedProtocol) => void): void {
  const timeout = setTimeout(() => settle("too_slow"), timeoutMs);
  let head = Buffer.alloc(0);
  const settle = (detected: DetectedProtocol): void => {
    clearTimeout(timeout);
    socket.off("readable", readHead).off("error", gone).off("end", gone).off("close", gone);
    report(detected);
  };
  const gone = (): void => settle("gone");
  const readHead = (): void => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    head = Buffer.concat([head, chunk]);
    const isPreface = startsAs(head, PREFACE_HEAD);
    // A client may send its first bytes one by one. Bytes are put back only after the decision: putting a byte back makes
    // the socket readable, so that this listener would run for ever.
    if (isPreface && head.length < PREFACE_HEAD.length) return;
    socket.off("readable", readHead).unshift(head);
    settle(isPreface ? "http2" : head[0] === TLS_HANDSHAKE ? "tls" : "http1");
  };
  socket.on("readable", readHead).on("error", gone).on("end", gone).on("close", gone);
}

function startsAs(head: Buffer, expected: Buffer): boolean {
  const bytes = Math.min(head.length, expected.length);
  return head.subarray(0, bytes).equals(expected.subarray(0, bytes));
}
