import { afterAll, beforeAll, expect, test } from "vitest";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";

// A body holds up all other requests of the process for as long as it costs.

/** The longest body that is read. */
const BYTES = 1_048_576;
/** Of the parts that a body may have. */
const PARTS = 4_990;
/** Of this process, client and service: most of it is to send and receive a megabyte. */
const CPU_MS = 150;
/** The RPC that ignores members which it does not know. */
const PATH = "/api/v1/llm/gateway/list-threads";

const filled = (before: string, piece: string, after: string): string =>
  before + piece.repeat(Math.floor((BYTES - before.length - after.length) / Buffer.byteLength(piece))) + after;

const BODIES: Readonly<Record<string, string>> = {
  "one text": filled('{"x":"', "a", '"}'),
  "one text of escapes": filled('{"x":"', "\\u00e9", '"}'),
  "one text of backslashes": filled('{"x":"', "\\\\", '"}'),
  "one text of emoji": filled('{"x":"', "😀", '"}'),
  "a name of a megabyte": filled('{"', "a", '":1}'),
  "white space": filled("{", " ", "}"),
  "one number": filled('{"x":', "9", "}"),
  "opened lists": filled('{"x":', "[", ""),
  "opened objects": filled("", '{"x":', ""),
  "as many members as there may be": `{${Array.from({ length: PARTS / 2 - 1 }, (_, n) => `"${n}${"m".repeat(200)}":1`).join()}}`,
  "as many items as there may be": `{"x":[${Array.from({ length: PARTS - 3 }, () => `"${"i".repeat(200)}"`).join()}]}`,
  "as deep as there may be": `{"x":${"[".repeat(1_000)}${"]".repeat(1_000)}}`,
  "no JSON": filled("", "x", ""),
  "an open text": filled('{"x":"', "\\u00e9", ""),
};

let latchkey: Latchkey;
let key: string;

beforeAll(async () => {
  latchkey = await startLatchkey();
  key = (await dashboardOf(latchkey).createKey({ permissions: ["*"] })).key;
  // Compiled and connected before anything is measured.
  for (let n = 0; n < 20; n++) await send(BODIES["one text"] ?? "");
});

afterAll(() => latchkey.close());

async function send(body: string): Promise<number> {
  const headers = { "content-type": "application/json", "x-api-key": key };
  const answer = await fetch(latchkey.url + PATH, { method: "POST", headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

test.each(Object.entries(BODIES))("a body of %s costs its length at most", async (_name, body) => {
  // The cheapest of up to three trials: a collection of garbage falls into one of them.
  let best = Number.POSITIVE_INFINITY;
  for (let trial = 0; trial < 3 && best > CPU_MS; trial++) {
    const before = process.cpuUsage();
    expect([200, 400]).toContain(await send(body));
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  expect(best).toBeLessThan(CPU_MS);
});
