import { Code, ConnectError } from "@connectrpc/connect";
import { isDisconnected, type Outgoing } from "./exchange.ts";

/** The reason with which a call's signal is aborted on client disconnect. Created once: each error costs a stack trace. */
const CLIENT_LEFT = new ConnectError("the client closed the connection", Code.Canceled);

/** A signal that is aborted when the client disconnects before its answer. */
export function clientDisconnectSignal(res: Outgoing): AbortSignal {
  const controller = new AbortController();
  // The client may have disconnected during authentication, in which case "close" was already emitted.
  if (isDisconnected(res)) controller.abort(CLIENT_LEFT);
  res.once("close", () => {
    // Not `writableFinished`: an HTTP/2 response sets it as soon as its stream is closed.
    if (!res.writableEnded) controller.abort(CLIENT_LEFT);
  });
  return controller.signal;
}
