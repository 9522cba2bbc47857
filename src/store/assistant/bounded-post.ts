import { AssistantFailure } from "../../domain/conversations/assistant-failure.ts";

/** Maximum number of bytes that are read of a response: enough for a reply of the size of a book in JSON. */
const RESPONSE_BYTES_MAX = 1_048_576;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Posts JSON with a bearer key, if there is one. Follows no redirect, because the key is for the configured host only. */
export async function boundedPost(
  url: string,
  apiKey: string | null,
  body: unknown,
  signal: AbortSignal,
): Promise<Answer> {
  const headers = new Headers({
    "content-type": "application/json",
    accept: "application/json",
    "user-agent": "latchkey",
  });
  if (apiKey !== null) headers.set("authorization", `Bearer ${apiKey}`);
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal,
    redirect: "manual",
  });
  return { status: response.status, headers: response.headers, text: await readBounded(response) };
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > RESPONSE_BYTES_MAX) throw new AssistantFailure("reply_too_large", `above ${RESPONSE_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
