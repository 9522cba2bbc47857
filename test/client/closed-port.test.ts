import { createServer } from "node:http";
import { expect, test } from "vitest";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

test("a guard reports a closed port with its address and cause", async () => {
  const gone = createServer();
  const port = await listenOnLoopback(gone);
  await closeAll(gone);
  const errors: unknown[] = [];
  const guard = createGuard({ baseUrl: `http://127.0.0.1:${port}`, onError: (err) => void errors.push(err) });
  const answer = await guard.fetch([], () => new Response())(new Request("https://plans.example"));
  expect(answer.status).toBe(503);
  expect(errors.map(String)).toEqual([`Error: Latchkey could not be reached at 127.0.0.1:${port} (ECONNREFUSED)`]);
});
