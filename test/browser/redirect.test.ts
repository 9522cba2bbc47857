import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { Code } from "../../clients/typescript/src/index.ts";
import { redirector } from "../client/redirector.ts";
import { openPage } from "../servers/chromium.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

const CORS = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*, Authorization" };

test("a client in a page does not follow a redirect, whose status and target a browser hides", async () => {
  let followed = 0;
  const target = createServer((_req, res) => {
    followed += 1;
    res.writeHead(200, { ...CORS, "Content-Type": "application/json" }).end("{}");
  });
  const source = await redirector(307, `http://127.0.0.1:${await listenOnLoopback(target)}`, CORS);
  const script = await bundled();
  const reported = Promise.withResolvers<unknown>();
  const site = createServer(async (req, res) => {
    if (req.url === "/where") return res.end(source.url);
    if (req.url === "/script.js") return res.end(script);
    if (req.url !== "/report") {
      return res.setHeader("Content-Type", "text/html").end('<!doctype html><script src="/script.js"></script>');
    }
    reported.resolve(JSON.parse(await text(req)));
    return res.end();
  });
  const browser = await openPage(`http://127.0.0.1:${await listenOnLoopback(site)}/`);
  const late = setTimeout(() => reported.reject(new Error("the page did not report within 60 s")), 60_000);
  try {
    const message = expect.stringContaining("answered with a redirect; none is followed");
    expect(await reported.promise).toEqual({ code: Code.Unknown, message });
    expect([source.received(), followed]).toEqual([1, 0]);
  } finally {
    clearTimeout(late);
    await browser.close();
    for (const server of [site, target]) await closeAll(server);
    await source.close();
  }
});

async function bundled(): Promise<string> {
  const input = fileURLToPath(new URL("fixtures/redirected-page.ts", import.meta.url));
  const { output } = await (await rolldown({ input, platform: "browser" })).generate({ format: "iife" });
  return output[0].code;
}
