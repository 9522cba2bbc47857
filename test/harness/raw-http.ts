import { connect } from "node:net";

/** Sends bytes as they are over a new connection and answers all that comes back until the server closes it. */
export function sendRaw(url: string, request: string | Uint8Array, timeoutMs = 10_000): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error("no answer within the time")));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
    socket.on("error", reject);
  });
}
