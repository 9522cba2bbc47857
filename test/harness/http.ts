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
  return toAnswer(await sent(url, path, body, headers));
}

/** As `post`, to a service of an older version, whose answers are not those of today's OpenAPI document. */
export async function postToOlder(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return read(await sent(url, path, body, headers));
}

function sent(url: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
  return fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Reads an answer. Every answer that a test reads is validated against the OpenAPI document. */
export async function toAnswer(response: Response): Promise<Answer> {
  const answer = await read(response);
  expectDocumented(new URL(response.url).pathname, answer);
  return answer;
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /^application\/(?:problem\+)?json/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
}
