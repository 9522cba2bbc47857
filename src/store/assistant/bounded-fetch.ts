import { AssistantFailure } from "../../domain/conversations/assistant-failure.ts";

/** Maximum number of bytes that are read of a response: enough for a reply of the size of a book in JSON. */
const RESPONSE_BYTES_MAX = 1_048_576;

/**
 * `fetch` for the client of the model. Reads the body itself, up to a limit, because the client has none. Follows no
 * redirect, because the key is for the configured host only.
 */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const body = await readBounded(response);
  // The client does not parse a response of type text/plain, and some endpoints send everything as that.
  const headers = new Headers(response.headers);
  headers.set("content-type", "application/json");
  const { status, statusText } = response;
  // The constructor rejects a body with status 204 or 304.
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > RESPONSE_BYTES_MAX) throw new AssistantFailure("reply_too_large", `above ${RESPONSE_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
