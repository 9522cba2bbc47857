import type { ConnectError } from "@connectrpc/connect";
import { errorOf } from "../../interceptors/error-info.ts";
import type { Incoming } from "./exchange.ts";
import { contentTypeOf } from "./media-type.ts";
import { isConnectTimeout, isGrpcTimeout } from "./timeout-headers.ts";

const UNKNOWN_VERSION = "Connect-Protocol-Version: must be 1, or absent";
const GRPC_TYPE = /^application\/grpc/i;

/**
 * Checks the protocol's headers: version, timeout and compression. Connect's messages would quote their values and name no
 * header. Call it after the gate. Throws a `ConnectError`.
 */
export function checkProtocolHeaders(req: Pick<Incoming, "headers" | "rawHeaders">): void {
  const fault = isGrpc(req) ? grpcFault(req.headers) : connectFault(req.headers);
  if (fault !== undefined) throw fault;
}

export function isGrpc(req: Pick<Incoming, "rawHeaders">): boolean {
  return GRPC_TYPE.test(contentTypeOf(req));
}

/** Whether the body is compressed, which is not supported. */
export function isCompressed({ headers }: Pick<Incoming, "headers">): boolean {
  const encoding = headers["content-encoding"];
  return encoding !== undefined && encoding.toLowerCase() !== "identity";
}

/** A client of another version may mean something else by the same request. */
function isKnownVersion(headers: Incoming["headers"]): boolean {
  const version = headers["connect-protocol-version"];
  return version === undefined || version === "1";
}

function connectFault(headers: Incoming["headers"]): ConnectError | undefined {
  const { "connect-timeout-ms": timeout } = headers;
  if (!isKnownVersion(headers)) return refused(UNKNOWN_VERSION);
  if (timeout === undefined || isConnectTimeout(String(timeout))) return undefined;
  return refused("Connect-Timeout-Ms: must be 1 to 10 digits, milliseconds");
}

function grpcFault(headers: Incoming["headers"]): ConnectError | undefined {
  const { "grpc-timeout": timeout, "grpc-encoding": encoding = "identity" } = headers;
  if (encoding !== "identity") {
    return errorOf(
      "unsupported_content_encoding",
      "grpc-encoding: must be identity, or absent; send messages without compression",
    );
  }
  if (timeout === undefined || isGrpcTimeout(String(timeout))) return undefined;
  return refused("grpc-timeout: must be 1 to 8 digits and one unit of H, M, S, m, u, n");
}

function refused(message: string): ConnectError {
  return errorOf("invalid_header", message);
}
