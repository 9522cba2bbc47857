import { createServer, type RequestListener } from "node:http";

/** Listens where the harness says. Answering is the sign of being ready, so nothing is printed. */
export function serve(listener: RequestListener): void {
  const server = createServer(listener);
  server.listen(Number(process.env.PORT), "127.0.0.1");
  process.once("SIGTERM", () => process.exit(0));
}
