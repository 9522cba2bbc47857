import { AssistantFailure } from "../../domain/conversations/assistant-failure.ts";

/** Most bytes of an answer that are read: a reply of the size of a book, and its wrapping. */
const ANSWER_BYTES_MAX = 1_048_576;

/**
 * `fetch` for the model's client. Reads the answer itself, up to a bound, because the client reads it without one. It
 * follows no redirect: the key is for the configured host.
 */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const body = await readBounded(response);
  // The client would hand what is called a plain text on unread, and some endpoints call all that they send one.
  const headers = new Headers(response.headers);
  headers.set("content-type", "application/json");
  const { status, statusText } = response;
  // A body of 204 or 304 would be refused by the constructor.
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > ANSWER_BYTES_MAX) throw new AssistantFailure("reply_too_large", `above ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
