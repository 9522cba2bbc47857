import type { TLSSocket } from "node:tls";

/** Set by Node's HTTP/1.1 server while an answer waits for its client. Node has no public API for it. */
type Served = TLSSocket & { readonly _paused?: boolean };

/**
 * Makes a pause of an HTTP/1.1 connection over TLS take effect at once. Call it after Node's HTTP/1.1 server has the socket.
 *
 * While an answer waits for its client, Node pauses the socket and the parser once a further request's head has arrived. Its
 * parser is fed by the TLS layer directly, which goes on with the records that it has already read: if the request's body is
 * in one of these, the paused parser fails with HPE_PAUSED, and the valid request is 400.
 *
 * With a `data` listener Node feeds the parser from the stream instead, which keeps what arrives during a pause. Node's own
 * guard against a resume by others is then gone, and a resumed socket would end the process by an assertion, so it is here.
 */
export function pauseAtOnce(socket: Served): void {
  socket.on("data", () => {});
  socket.on("resume", () => {
    if (socket._paused === true) socket.pause();
  });
}
