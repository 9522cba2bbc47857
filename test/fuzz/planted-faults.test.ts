import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { problemOf } from "./parsers/explore.ts";
import { randomFrom } from "./random.ts";
import { runCampaign } from "./requests/campaign.ts";
import type { Request } from "./requests/cases.ts";
import { connectTo, type Exchange } from "./requests/exchange.ts";
import type { Lane } from "./requests/lane.ts";
import { allRoutes } from "./requests/routes.ts";

/** How a server answers a request; every route is denied unless a fault is planted. */
type Answer = (res: ServerResponse, req: IncomingMessage, body: Buffer) => void;

const REQUESTS = 500;
const LANE: Lane = {
  ...{ credentials: { none: [] }, names: () => undefined, fitting: () => undefined },
  ...{ signed: () => [], learn() {}, renew: async () => {} },
  ...{ prove: async () => "a.b.c", oldProof: "a.b.c" },
};

function deny(res: ServerResponse, status = 401, code = "unauthenticated"): void {
  res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ code }));
}

/** The findings of a campaign against a server. The bounds are so long that no busy machine is a finding, unless a test is about them. */
async function findingsAt(answer: Answer, hangMs = 60_000, givenUpMs = 60_000): Promise<string[]> {
  const server = createServer(async (req, res) => answer(res, req, await buffer(req)));
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeAll(server));
  return findingsOf(port, (request) => request.grpc === undefined, { hangMs, givenUpMs });
}

/** The same of a server that speaks HTTP/2 alone, by what it answers as its status of gRPC. */
async function findingsOverGrpc(statusOf: (requests: number) => string): Promise<string[]> {
  let requests = 0;
  const server = createHttp2Server().on("stream", (stream) => {
    const headers = { "content-type": "application/grpc+proto", "grpc-status": statusOf(requests++) };
    stream.respond(headers, { endStream: true });
    stream.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return findingsOf(port, (request) => request.grpc !== undefined, { hangMs: 60_000, givenUpMs: 60_000 });
}

async function findingsOf(
  port: number,
  isSent: (request: Request) => boolean,
  { hangMs, givenUpMs }: { readonly hangMs: number; readonly givenUpMs: number },
): Promise<string[]> {
  const connection = connectTo(`http://127.0.0.1:${port}`, givenUpMs);
  const exchange: Exchange = async (request) => (isSent(request) ? connection.exchange(request) : { kind: "unsent" });
  const lanes = [{ lane: LANE, exchange, random: randomFrom(1) }];
  const { findings } = await runCampaign({ routes: allRoutes(), requests: REQUESTS, hangMs, lanes });
  await connection.close();
  return findings.map(({ problem }) => problem);
}

describe("the fuzzer of requests finds", () => {
  test("nothing at a server that denies everything alike", async () => {
    expect(await findingsAt((res) => deny(res))).toEqual([]);
  });

  test("a 5xx that one text in a body brings about", async () => {
    const findings = await findingsAt((res, _req, body) =>
      body.includes('"name"') ? deny(res, 500, "internal") : deny(res),
    );
    expect(findings[0]).toContain("500 internal");
  });

  test("a code of a failure, whatever the status", async () => {
    const findings = await findingsAt((res) => deny(res, 429, "unavailable"));
    expect(findings[0]).toContain("429 unavailable");
  });

  test("a connection that ends without an answer", async () => {
    const findings = await findingsAt((res, req) => (req.url?.includes("orgs") ? res.destroy() : deny(res)));
    expect(findings[0]).toContain("no answer");
  });

  test("a request that is never answered", async () => {
    const findings = await findingsAt((res, req) => (req.url?.includes("orgs") ? undefined : deny(res)), 60_000, 300);
    expect(findings[0]).toContain("no answer");
  });

  test("an answer that is late each time", async () => {
    const late: Answer = (res, req) => void setTimeout(() => deny(res), req.url?.includes("orgs") ? 100 : 0);
    const findings = await findingsAt(late, 50);
    expect(findings[0]).toMatch(/the answer takes \d+ ms$/);
  });

  test("a failure over gRPC, and none of a server that denies everything alike", async () => {
    expect(await findingsOverGrpc(() => "16")).toEqual([]);
    const [finding] = await findingsOverGrpc((requests) => (requests === 20 ? "13" : "16"));
    expect(finding).toContain("internal");
  });

  test("two verdicts over gRPC", async () => {
    const [finding] = await findingsOverGrpc((requests) => (requests % 2 === 0 ? "16" : "7"));
    expect(finding).toContain("two verdicts");
  });

  test("two verdicts for the same request", async () => {
    let requests = 0;
    const findings = await findingsAt((res) =>
      requests++ % 2 === 0 ? deny(res) : deny(res, 403, "permission_denied"),
    );
    expect(findings[0]).toContain("two verdicts");
  });

  test("a verdict that depends on the encoding", async () => {
    const findings = await findingsAt((res, req) =>
      req.headers["content-type"] === "application/proto" ? deny(res, 403, "permission_denied") : deny(res),
    );
    expect(findings[0]).toContain("two verdicts");
  });
});

describe("the fuzzer of parsers finds", () => {
  test("a fault behind four conditions by its coverage, and not without it", { timeout: 300_000 }, async () => {
    const fixture = fileURLToPath(new URL("fixtures/planted.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [fixture]);
    const { guided, blind } = JSON.parse(stdout);
    expect(guided[0]).toMatch(/^Lk9!/);
    expect(blind).toEqual([]);
  });

  test("an input that costs too much time", async () => {
    const cpuMsMax = 10;
    const parse = () => {
      const before = process.cpuUsage();
      while (process.cpuUsage(before).user < cpuMsMax * 1_100);
    };
    expect(await problemOf({ seeds: [], words: [], parse }, Buffer.from("a"), cpuMsMax)).toMatch(/^takes \d+ ms$/);
  });

  test("an error that is not documented", async () => {
    const parse = () => JSON.parse("{");
    expect(await problemOf({ seeds: [], words: [], parse }, Buffer.from("a"))).toContain("SyntaxError");
  });
});
