import { chmodSync } from "node:fs";
import { lstat, unlink } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";
import { codeOf } from "../../domain/vocabulary/error-code.ts";

/** For its owner and group: a proxy that is to connect runs in the group. */
const MODE = 0o660;
const VARIABLE = "EDGE_SOCKET";

/**
 * Listens on a Unix socket. A file that a killed process has left behind is replaced. Rejects with a message that names the
 * variable.
 */
export async function listenOnSocket(
  server: Server,
  { path, backlog }: { readonly path: string; readonly backlog: number },
): Promise<void> {
  await removeStale(path);
  await new Promise<void>((resolve, reject) => {
    const refuse = (err: Error): void => {
      reject(new Error(`${VARIABLE}: cannot listen on ${path} (${codeOf(err) ?? err.message})`, { cause: err }));
    };
    server.once("error", refuse);
    server.listen({ path, backlog }, () => {
      server.off("error", refuse);
      resolve();
    });
  });
  chmodSync(path, MODE);
}

/** Removes a socket on which no process listens. Nothing else is removed. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${VARIABLE}: ${path} is there and is not a socket; name another path`);
  if (await isListening(path))
    throw new Error(`${VARIABLE}: ${path} is in use; stop the other process or set another ${VARIABLE}`);
  await unlink(path).catch(() => undefined);
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    // Of a socket that it may not connect to, a process does not know whether another one listens.
    socket.once("error", (err) => resolve(codeOf(err) !== "ECONNREFUSED"));
  });
}
