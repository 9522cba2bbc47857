import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** The credentials of each way to be denied, and the service that denies them. */
export type Denials = ReadonlyMap<string, { readonly url: string; readonly headers: Record<string, string> }>;

interface Request {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** Answers a request in the service's place, or with the service's own answer. */
type Fault = (request: Request, count: number, args: readonly string[], res: ServerResponse) => Promise<void> | void;

const API = /^\/(?<fault>\w+)\/(?<id>[\w-]+)(?<args>(?:\/[^/]+)*?)(?<path>\/api\/v1\/.*)$/;

/**
 * A server before the service that goes wrong as networks and proxies do. The base URL says how, and has an id of the test's:
 * `/lost/<id>/<answers>/<Retry-After or ->`. `/requests/<id>` returns the headers of what was received.
 */
export async function startFaults(service: string, denials: Denials): Promise<{ url: string; close(): Promise<void> }> {
  const received = new Map<string, Record<string, string>[]>();
  const faults: Record<string, Fault> = {
    /** The service does what is asked, and the first answers are lost. */
    async lost(request, count, [answers = "1", after = "-"], res) {
      const answer = await forward(service, request);
      if (count > Number(answers)) return relay(answer, res);
      res.writeHead(503, after === "-" ? {} : { "retry-after": decodeURIComponent(after) }).end();
    },
    /** A login page, on another port or on this one. */
    redirect(_request, _count, _args, res) {
      res.writeHead(307, { location: "http://login.example:8443/login?ticket=1", "content-length": 0 }).end();
    },
    /** Never answers. */
    hang() {},
    /** A page of some other server's. */
    page(_request, _count, [status = "502"], res) {
      res.writeHead(Number(status), { "content-type": "text/html" }).end("<html>secret page</html>");
    },
    /** Sets a cookie before it lets requests pass. */
    async cookie(request, count, _args, res) {
      if (count > 1) return relay(await forward(service, request), res);
      // In capitals, since Foundation on Linux reads no others.
      res.writeHead(503, { "Set-Cookie": "session=1; Path=/" }).end();
    },
    /** What a later version may answer. */
    async changed(request, _count, _args, res) {
      const answer = await forward(service, request);
      const text = (await answer.text())
        .replaceAll('"KEY_STATUS_ACTIVE"', '"KEY_STATUS_RESTING"')
        .replaceAll('"KEY_TYPE_SECRET"', "7")
        .replace("{", '{"invented":{"deep":[1]},')
        .replace('"denial_reason":"api_key_not_found"', '"denial_reason":"invented_reason"');
      res.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    },
    /** A way to be denied, by the service itself. */
    async denied(request, _count, [reason = ""], res) {
      const denial = denials.get(reason);
      if (denial === undefined) return void res.writeHead(404).end();
      const { "x-api-key": _, authorization: __, ...rest } = request.headers;
      relay(await forward(denial.url, { ...request, headers: { ...rest, ...denial.headers } }), res);
    },
  };

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = req.url ?? "";
    if (url.startsWith("/requests/")) {
      res.end(JSON.stringify(received.get(url.slice("/requests/".length)) ?? []));
      return;
    }
    const { fault = "", id = "", args = "", path = "" } = API.exec(url)?.groups ?? {};
    const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]));
    const requests = [...(received.get(id) ?? []), headers];
    received.set(id, requests);
    const request = { path, headers, body: await buffer(req) };
    await faults[fault]?.(request, requests.length, args.split("/").slice(1), res);
  }

  const server = createServer((req, res) => void respond(req, res).catch(() => res.destroy()));
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, close: () => closeAll(server) };
}

function forward(service: string, { path, headers, body }: Request): Promise<Response> {
  const { host: _, connection: __, "content-length": ___, ...rest } = headers;
  return fetch(`${service}${path}`, { method: "POST", headers: rest, body: new Uint8Array(body) });
}

async function relay(answer: Response, res: ServerResponse): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body);
}
