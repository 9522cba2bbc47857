import { createServer } from "node:http";
import { callerOf, createGuard, messageOf, type VerifiedCaller } from "@latchkey/client/server";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const { LATCHKEY_URL = "", LATCHKEY_ISSUER = "", ARCHIVE_URL = "", ARCHIVE_KEY = "", PORT = "9000" } = process.env;

const guard = createGuard({
  baseUrl: LATCHKEY_URL,
  resource: {
    url: process.env.RESOURCE_URL ?? `http://127.0.0.1:${PORT}/mcp`,
    authorizationServers: [LATCHKEY_ISSUER],
    scopes: ["conversations:read", "conversations:write"],
  },
});
const mcp = guard.mcp({ tools: { search: "conversations:read", save: "conversations:write" } });

/** A server with the tools that the caller may call. */
function serverFor(caller: VerifiedCaller): McpServer {
  const server = new McpServer({ name: "archive", version: "1.0.0" });
  const tools = mcp.toolsOf(caller);
  if (tools.includes("search"))
    server.registerTool(
      "search",
      { description: "Finds messages that contain a text.", inputSchema: { text: z.string() } },
      ({ text }) => archive(caller, `messages?${new URLSearchParams({ text })}`),
    );
  if (tools.includes("save"))
    server.registerTool("save", { description: "Saves a message.", inputSchema: { text: z.string() } }, ({ text }) =>
      archive(caller, "messages", { method: "POST", body: JSON.stringify({ text }) }),
    );
  return server;
}

/** Asks the archive with this server's own key, for the tenant that Latchkey verified: a caller's token stays here. */
async function archive({ tenantId }: VerifiedCaller, path: string, init: RequestInit = {}) {
  const headers = { "X-API-Key": ARCHIVE_KEY, "X-Tenant-Id": tenantId, "Content-Type": "application/json" };
  const answer = await fetch(`${ARCHIVE_URL}/${path}`, { ...init, headers });
  if (!answer.ok) throw new Error(`the archive answered ${answer.status}`);
  return { content: [{ type: "text" as const, text: await answer.text() }] };
}

createServer((req, res) => {
  mcp.node(req, res, async () => {
    // MCP asks servers to refuse pages that they do not know. Name yours here, if any calls.
    if (req.headers.origin !== undefined) return void res.writeHead(403).end();
    // There are no sessions, so no stream of one and no end: another caller could take it over.
    if (req.method !== "POST") return void res.writeHead(405, { Allow: "POST" }).end();
    const server = serverFor(callerOf(req));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    res.on("close", () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, messageOf(req));
  });
}).listen(Number(PORT), "127.0.0.1");
