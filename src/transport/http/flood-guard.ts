import { constants, type ServerHttp2Session } from "node:http2";
import type { HttpLimits } from "./http-limits.ts";

type FloodLimits = Pick<HttpLimits, "controlFramesMax" | "controlFramesWindowMs" | "requestTimeoutMs">;

/** The reason that gRPC clients know: they reconnect and ping more rarely. */
const TOO_MANY_PINGS = Buffer.from("too_many_pings");

/**
 * Ends a connection that floods us with frames that we must acknowledge, PING and SETTINGS (CVE-2019-9512, CVE-2019-9515).
 * Returns a function to call for each DATA frame sent.
 *
 * Each request and each DATA frame sent allow one more: gRPC clients in Go, Java and C++ send a PING after DATA to measure
 * their bandwidth, and then SETTINGS with a larger window. A limit on frames alone cut off busy clients of grpc-go.
 *
 * Requests in progress may end after the GOAWAY. If the client continues to flood, or after `requestTimeoutMs`, the
 * connection is destroyed.
 */
export function guardFloods(session: ServerHttp2Session, limits: FloodLimits): () => void {
  const { controlFramesMax, controlFramesWindowMs, requestTimeoutMs } = limits;
  /** Frames in the current window that neither a request nor a DATA frame explains. */
  let unexplained = 0;
  let since = performance.now();
  let isEnding = false;

  function count(): void {
    const now = performance.now();
    if (now - since > controlFramesWindowMs) {
      unexplained = 0;
      since = now;
    }
    unexplained++;
    if (unexplained <= controlFramesMax || session.destroyed) return;
    if (unexplained > 2 * controlFramesMax) cutOff();
    else if (!isEnding) end();
  }

  function explain(): void {
    unexplained--;
  }

  function end(): void {
    isEnding = true;
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, TOO_MANY_PINGS);
    session.close();
    const timeout = setTimeout(() => session.destroy(), requestTimeoutMs).unref();
    session.once("close", () => clearTimeout(timeout));
  }

  function cutOff(): void {
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, TOO_MANY_PINGS);
    session.destroy();
  }

  session.on("ping", count).on("remoteSettings", count).on("stream", explain);
  return explain;
}
