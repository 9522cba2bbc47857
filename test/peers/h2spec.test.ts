import { createServer, type ServerHttp2Session } from "node:http2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { portOf } from "../servers/loopback.ts";
import { type Callers, output, startCallers } from "./callers.ts";
import { goTool } from "./go-tools.ts";

const H2SPEC = "github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible";
/** We cannot see that a client's first bytes are no preface until they are no HTTP/1.1 either, so we answer 400 over HTTP/1.1. */
const BY_DESIGN = /invalid connection preface/i;

let h2spec: string;
let callers: Callers;
const plain = createServer((_req, res) => void res.end("ok"));
const sessions = new Set<ServerHttp2Session>();
plain.on("session", (session) => sessions.add(session));
beforeAll(async () => {
  h2spec = await goTool("h2spec", H2SPEC);
  callers = await startCallers();
  await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
}, 600_000);
afterAll(async () => {
  await callers?.close();
  for (const session of sessions) session.destroy();
  plain.close();
});

/** The cases that a server fails, by their names, and how many there are. */
async function failedOf(port: number): Promise<{ failed: string[]; cases: number }> {
  const args = ["-S", "-o", "4", "-h", "127.0.0.1", "-p", String(port), "-P", "/healthz"];
  // It ends with 1 if a case fails.
  const printed = await output(h2spec, args).catch((err: Error) => err.message);
  const failed = new Set([...printed.matchAll(/^\s+[×✗]\s+\d+:\s+(.*)$/gm)].map(([, name = ""]) => name));
  const [, cases = ""] = /^(\d+) tests,/m.exec(printed) ?? [];
  expect(Number(cases)).toBeGreaterThan(100);
  return { failed: [...failed].toSorted(), cases: Number(cases) };
}

test("no case of h2spec fails that Node's own server passes, except the preface", async ({ task }) => {
  const ours = await failedOf(Number(new URL(callers.url).port));
  const nodes = await failedOf(portOf(plain));
  const more = ours.failed.filter((name) => !nodes.failed.includes(name));
  expect(more.filter((name) => !BY_DESIGN.test(name))).toEqual([]);
  task.meta.figures = `${ours.cases - ours.failed.length} of ${ours.cases}, Node ${nodes.cases - nodes.failed.length}`;
}, 170_000);
