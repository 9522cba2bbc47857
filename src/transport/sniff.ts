import type { Socket } from "node:net";

/** How every HTTP/2 connection with prior knowledge begins. No HTTP/1.1 method does. */
const PREFACE_HEAD = Buffer.from("PRI ");

export type FirstBytes = "http1" | "http2" | "gone" | "too_slow";

/** Tells by its first bytes, which are put back, what a new connection speaks; once, within the time for a request head. */
export function sniff(socket: Socket, timeoutMs: number, tell: (first: FirstBytes) => void): void {
  const timeout = setTimeout(() => settle("too_slow"), timeoutMs);
  const settle = (first: FirstBytes): void => {
    clearTimeout(timeout);
    socket.off("readable", look).off("error", gone).off("end", gone).off("close", gone);
    tell(first);
  };
  const gone = (): void => settle("gone");
  const look = (): void => {
    const head: Buffer | null = socket.read();
    if (head === null) return;
    const isPreface = startsAs(head, PREFACE_HEAD);
    socket.unshift(head);
    // A client may send its first bytes one by one; since they are put back, the next look sees them all.
    if (!isPreface || head.length >= PREFACE_HEAD.length) settle(isPreface ? "http2" : "http1");
  };
  socket.on("readable", look).on("error", gone).on("end", gone).on("close", gone);
}

function startsAs(head: Buffer, expected: Buffer): boolean {
  const bytes = Math.min(head.length, expected.length);
  return head.subarray(0, bytes).equals(expected.subarray(0, bytes));
}
