// What the tools of server.ts are in front of: a service that knows the MCP server by a key and keeps messages for each tenant.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { ARCHIVE_KEY, PORT = "9001" } = process.env;

/** @type {Map<string, string[]>} */
const messages = new Map();

createServer(async (req, res) => {
  const { "x-api-key": key, "x-tenant-id": tenant = "" } = req.headers;
  if (key !== ARCHIVE_KEY || ARCHIVE_KEY === undefined) return res.writeHead(401).end();
  const known = messages.get(String(tenant)) ?? [];
  if (req.method === "POST") {
    known.push(JSON.parse(await text(req)).text);
    messages.set(String(tenant), known);
  }
  const wanted = new URL(req.url ?? "", "http://x").searchParams.get("text") ?? "";
  res.setHeader("Content-Type", "application/json");
  return res.end(JSON.stringify(known.filter((message) => message.includes(wanted))));
}).listen(Number(PORT), "127.0.0.1");
