import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { RequestFault } from "../../domain/vocabulary/request-fault.ts";
import { errorOfFault } from "../../interceptors/error-info.ts";

/**
 * Makes a fault of a client's stream the client's. Connect answers bytes that are not a message, and an envelope that says
 * it is compressed, with `internal`: an alert of ours would follow whatever a stranger sends.
 */
export const blameMalformedStreams: Interceptor = (next) => (req) =>
  next(req.stream ? { ...req, message: readable(req.message) } : req);

async function* readable<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
  try {
    yield* messages;
  } catch (err) {
    if (!(err instanceof ConnectError) || err.code !== Code.Internal) throw err;
    throw errorOfFault(
      new RequestFault(
        "malformed_body",
        "body: must be messages in the binary format of Protocol Buffers, without compression, each in its envelope",
      ),
    );
  }
}
