import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { OpenAiConfig } from "../../src/config/settings.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import type { JsonObject } from "./http.ts";

/** A request to a model. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
}

/** Answers one request. The last answer of a model repeats. */
export type ModelAnswer = (res: ServerResponse, request: ModelRequest) => void;

/** An OpenAI-compatible endpoint on loopback with scripted answers. */
export interface Model {
  readonly url: string;
  /** Every request so far, in order. */
  readonly requests: readonly ModelRequest[];
  /** What the next requests get, one after the other. */
  answer(...answers: ModelAnswer[]): void;
  /** The configuration of a service that calls this model. */
  config(overrides?: Partial<OpenAiConfig>): OpenAiConfig;
  close(): Promise<void>;
}

export const MODEL_KEY = "sk-model-secret-0123456789abcdef";
const USAGE = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };

export async function startModel(...first: ModelAnswer[]): Promise<Model> {
  let answers = first;
  const requests: ModelRequest[] = [];
  const server = createServer(async (req, res) => {
    const request = { path: req.url ?? "", headers: req.headers, body: JSON.parse(await text(req)) };
    requests.push(request);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    (answer ?? replies())(res, request);
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/v1`;
  return {
    url,
    requests,
    answer: (...next) => {
      answers = next;
    },
    config: (overrides = {}) => ({
      baseUrl: url,
      apiKey: MODEL_KEY,
      model: "test-model",
      systemPrompt: "",
      timeoutMs: 10_000,
      historyMessages: 100,
      historyBytes: 262_144,
      ...overrides,
    }),
    close: () => closeAll(server),
  };
}

/** A reply as the API documents it: the given text, or one that names the latest message. */
export function replies(text?: string, finish_reason = "stop"): ModelAnswer {
  return (res, { body }) => {
    const content = text ?? `reply to ${body.messages.at(-1).content}`;
    const choices = [{ index: 0, finish_reason, message: { role: "assistant", content } }];
    json({ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "test-model", choices, usage: USAGE })(res);
  };
}

/** Any JSON, with status 200. */
export function json(body: unknown): (res: ServerResponse) => void {
  return (res) => void res.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** An error in OpenAI's form, which contains the key and the user's text, as those of providers do. */
export function fails(status: number, fields: JsonObject = {}, headers: Record<string, string> = {}): ModelAnswer {
  return (res, { body }) => {
    const message = `Incorrect API key provided: ${MODEL_KEY}; you sent ${JSON.stringify(body.messages)}`;
    const error = { message, type: "invalid_request_error", param: null, code: null, ...fields };
    res.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify({ error }));
  };
}

/** Accepts the request and never answers. */
export const hangs: ModelAnswer = () => {};

/** Begins its answer and adds a byte every 20 ms without end. */
export const drips: ModelAnswer = (res) => {
  res.writeHead(200, { "Content-Type": "application/json" });
  const timer = setInterval(() => res.write(" "), 20);
  res.on("close", () => clearInterval(timer));
};

/** Answers so many bytes of a reply. */
export function floods(bytes: number): ModelAnswer {
  return replies("x".repeat(bytes));
}
