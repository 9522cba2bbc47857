import type { IncomingMessage } from "node:http";
import type { Refusal } from "./refusal.ts";

/** What a request to an MCP server asks for, as far as a guard decides by it. */
export type McpMessage =
  /** `tools/call`. The id is that of JSON-RPC. */
  | { readonly kind: "call"; readonly tool: string; readonly id: unknown; readonly json: unknown }
  | { readonly kind: "other"; readonly json: unknown }
  /** No message that a server may get: it is answered in the handler's place. */
  | { readonly kind: "wrong"; readonly answer: Refusal };

/** Of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

/** Reads the message of a body; undefined: the body is too long. */
export function messageIn(body: string | undefined): McpMessage {
  if (body === undefined) return wrong(413, INVALID_REQUEST, "The message is too long.");
  try {
    return toMessage(JSON.parse(body));
  } catch {
    return wrong(400, PARSE_ERROR, "The body is not JSON.");
  }
}

/** The message that a body which is parsed already has. */
export function toMessage(json: unknown): McpMessage {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    // With several calls in it, one request would spend the limit of one.
    return wrong(400, INVALID_REQUEST, "The body must be one JSON-RPC message; batches are not taken.");
  const { method, id, params } = json as Record<string, unknown>;
  if (method !== "tools/call") return { kind: "other", json };
  const name: unknown = typeof params === "object" && params !== null && "name" in params ? params.name : undefined;
  return { kind: "call", tool: typeof name === "string" ? name : "", id, json };
}

/** The answer to a call of a tool that the guard does not know, as a server has it for a tool that it lacks. */
export function unknownTool(tool: string, id: unknown): Refusal {
  return rpcError(200, INVALID_PARAMS, `Unknown tool: ${tool}`, id);
}

/** The body as text; undefined: it is longer than `bytesMax`. */
export async function readBody(
  chunks: IncomingMessage | ReadableStream<Uint8Array>,
  bytesMax: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function wrong(status: number, code: number, message: string): McpMessage {
  return { kind: "wrong", answer: rpcError(status, code, message, null) };
}

function rpcError(status: number, code: number, message: string, id: unknown): Refusal {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: id ?? null });
  return { status, headers: new Headers({ "Content-Type": "application/json" }), body };
}
