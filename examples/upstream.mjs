import { createServer } from "node:http";

/**
 * A service behind the proxy: answers with the caller that the proxy names. Nothing else may reach its port, since it
 * trusts these headers.
 *
 *     PORT=9000 node examples/upstream.mjs
 */
const server = createServer(async (req, res) => {
  // Also as X_Auth_..., which some frameworks read alike: the proxy must let no such header through.
  const isAuth = ([name]) => /^x.auth./.test(name);
  const headers = Object.entries(req.headers);
  res.setHeader("Content-Type", "application/json");
  res.end(
    JSON.stringify({
      method: req.method,
      path: req.url,
      caller: Object.fromEntries(headers.filter(isAuth)),
      headers: Object.fromEntries(headers.filter((header) => !isAuth(header))),
      body: Buffer.concat(await req.toArray()).toString(),
      sawCredentials: "x-api-key" in req.headers || "authorization" in req.headers,
    }),
  );
});
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1");
