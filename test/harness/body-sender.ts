import { type Answer, toAnswer } from "./http.ts";
import type { Latchkey } from "./latchkey.ts";

/** Makes POSTs of exactly these bytes, by a dashboard user unless other headers are given. */
export function bodySender(latchkey: () => Latchkey) {
  return async (
    path: string,
    body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
    headers?: Record<string, string>,
  ): Promise<Answer> => {
    const response = await fetch(latchkey().url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(headers ?? (await latchkey().dashboard())) },
      body,
      duplex: "half",
    } as RequestInit);
    return toAnswer(response);
  };
}

/** Text and raw bytes, one after the other. */
export function bytes(...parts: (string | number[])[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part)))),
  );
}
