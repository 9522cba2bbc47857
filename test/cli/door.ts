import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** `refuse`: 503 with `Retry-After`. `lose`: the service does it, and its answer is lost. `hold`: 503 when the door is set again. */
export type Passage = "pass" | "refuse" | "lose" | "hold";

/** A proxy before a service, for commands that call it many times. */
export interface Door {
  readonly url: string;
  /** What becomes of the call to import with this number, from 0. All other calls pass. Resets the number. */
  set(passage: (n: number) => Passage): void;
  /** Resolves when a call is held, and those before it have passed. */
  held(): Promise<void>;
  close(): Promise<void>;
}

export async function startDoor(service: string): Promise<Door> {
  let passageOf: (n: number) => Passage = () => "pass";
  let calls = 0;
  let passing: Promise<unknown>[] = [];
  let [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = createServer(async (req, res) => {
    const passage = req.url?.includes("/Import") ? passageOf(calls++) : "pass";
    if (passage === "refuse" || passage === "hold") {
      await buffer(req);
      if (passage === "hold") {
        await Promise.allSettled(passing);
        held.resolve();
        await released.promise;
      }
      res.writeHead(503, { "Retry-After": "0" }).end();
      return;
    }
    const forwarded = forward(service, req);
    passing.push(forwarded);
    const answer = await forwarded;
    if (passage === "lose") res.destroy();
    else res.writeHead(answer.status, { "Content-Type": answer.type }).end(answer.text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    set(passage) {
      released.resolve();
      [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      passageOf = passage;
      [calls, passing] = [0, []];
    },
    held: () => held.promise,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function forward(service: string, req: IncomingMessage) {
  const headers = Object.entries(req.headers).filter(([name]) => !["host", "connection"].includes(name));
  const answer = await fetch(`${service}${req.url}`, {
    method: req.method ?? "",
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
    body: await buffer(req),
  });
  return { status: answer.status, type: answer.headers.get("Content-Type") ?? "", text: await answer.text() };
}
