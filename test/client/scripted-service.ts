import { createServer, type IncomingMessage } from "node:http";
import { create, toBinary } from "@bufbuild/protobuf";
import { type DenialReason, DenialSchema } from "../../clients/typescript/src/gen/latchkey/v1/denial_pb.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** What the scripted service does with a request: an answer, half an answer, or none. */
export type Step =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | "break off"
  | "hang up"
  | "hold";

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they please
  readonly body: any;
}

/** A real port on which each request meets the next step of a script; the last one stays. */
export interface ScriptedService {
  readonly url: string;
  readonly received: readonly Received[];
  play(...steps: readonly Step[]): void;
  /** Ends all connections, as a replica does that is killed. */
  hangUp(): void;
  close(): Promise<void>;
}

export async function startScriptedService(): Promise<ScriptedService> {
  const received: Received[] = [];
  let script: readonly Step[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString() || "{}";
    // A workload's exchange is a form.
    const isForm = req.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
    received.push({ path: req.url ?? "", headers: req.headers, body: isForm ? text : JSON.parse(text) });
    const step = script[0] ?? ok();
    if (script.length > 1) script = script.slice(1);
    if (step === "hold") return;
    if (step === "hang up") return void req.socket.destroy();
    if (step === "break off") {
      res.writeHead(200, { "Content-Type": "application/json", "Content-Length": 100 });
      return void res.write('{"conversation_key":', () => req.socket.destroy());
    }
    res.writeHead(step.status, { "Content-Type": "application/json", ...step.headers }).end(step.body ?? "{}");
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    play(...steps) {
      script = steps;
      received.length = 0;
    },
    hangUp: () => server.closeAllConnections(),
    close: () => closeAll(server),
  };
}

export function ok(body: object = {}): Step {
  return { status: 200, body: JSON.stringify(body) };
}

/** An error of Latchkey's that carries a denial, as its generated clients read it. */
export function denied(status: number, code: string, reason: DenialReason, headers: Record<string, string> = {}): Step {
  const value = Buffer.from(toBinary(DenialSchema, create(DenialSchema, { reason }))).toString("base64");
  const details = [{ type: DenialSchema.typeName, value: value.replace(/=+$/, "") }];
  return { status, headers, body: JSON.stringify({ code, message: "no", details }) };
}
