import { expectDocumented } from "./documented.ts";

/** A JSON object of an answer, whose members tests read freely. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions are the check
export type JsonObject = Record<string, any>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; empty without a body. */
  readonly json: JsonObject;
}

/** A POST of a JSON body; text is sent as it is. */
export async function post(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return toAnswer(response);
}

/** Reads an answer. Every answer that a test reads is validated against the OpenAPI document. */
export async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const answer = { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
  expectDocumented(new URL(response.url).pathname, answer);
  return answer;
}
