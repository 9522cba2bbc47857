import { Code, ConnectError } from "@connectrpc/connect";
import { isDisconnected, type Outgoing } from "./exchange.ts";

/** Why a call's signal is aborted when its client leaves; made once, since building an error costs a stack trace. */
const CLIENT_LEFT = new ConnectError("the client closed the connection", Code.Canceled);

/** Aborted when the client leaves before its answer. */
export function clientDisconnectSignal(res: Outgoing): AbortSignal {
  const controller = new AbortController();
  // It may have left while its caller was judged: then its "close" event is over.
  if (isDisconnected(res)) controller.abort(CLIENT_LEFT);
  res.once("close", () => {
    // Not `writableFinished`: an HTTP/2 response says so of itself as soon as its stream is closed.
    if (!res.writableEnded) controller.abort(CLIENT_LEFT);
  });
  return controller.signal;
}
