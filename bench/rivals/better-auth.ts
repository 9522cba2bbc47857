import { createServer } from "node:http";
import { auth } from "./better-auth-options.ts";

/** Its `verifyApiKey` behind the barest server there is, so that nothing else is measured. */

const server = createServer((req, res) => {
  const key = req.headers["x-api-key"];
  auth.api.verifyApiKey({ body: { key: typeof key === "string" ? key : "" } }).then(
    ({ valid, error, key: record }) => {
      const status = valid ? 200 : error?.code === "RATE_LIMITED" ? 429 : 401;
      const body = JSON.stringify(valid ? { key_id: record?.id, permissions: record?.permissions } : error);
      res.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
      res.end(body);
    },
    () => res.writeHead(500).end(),
  );
});
server.listen(Number(process.env.PORT), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
