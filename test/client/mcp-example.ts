import { type ChildProcess, spawn } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installOnce } from "../../tools/on-demand/install.ts";
import { accepting } from "../proxies/proxy.ts";
import { freePort } from "../servers/free-port.ts";
import { type PackedClient, packClient } from "./packed.ts";

export const EXAMPLE = fileURLToPath(new URL("../../examples/mcp/", import.meta.url));
const PACKAGES = ["@modelcontextprotocol/sdk", "zod"];

/** A project with the packed client, the packages of the example, and `archive.mjs`. */
export interface McpProject extends Pick<PackedClient, "project"> {
  readonly packed: PackedClient;
  /** Runs a program of it until the end of the tests. It accepts connections; returns its port. */
  serve(file: string, env: Record<string, string>, port?: number): Promise<number>;
  close(): Promise<void>;
}

export async function openMcpProject(): Promise<McpProject> {
  const [packed] = await Promise.all([packClient(), installOnce(EXAMPLE)]);
  const { project } = packed;
  for (const name of PACKAGES) {
    const path = join(project, "node_modules", name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(join(EXAMPLE, "node_modules", name), path);
  }
  await writeFile(join(project, "package.json"), '{"type":"module"}');
  await copyFile(join(EXAMPLE, "archive.mjs"), join(project, "archive.mjs"));
  const started: ChildProcess[] = [];
  return {
    packed,
    project,
    async serve(file, env, port) {
      const own = port ?? (await freePort());
      const options = { cwd: project, env: { ...env, PORT: String(own) } };
      started.push(spawn(process.execPath, [file], { ...options, stdio: ["ignore", "ignore", "inherit"] }));
      await accepting(own);
      return own;
    },
    async close() {
      for (const child of started) child.kill();
      await packed.remove();
    },
  };
}

/** A module of the SDK. Files of the project cannot import it by its name. */
export function loadSdk<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(join(EXAMPLE, "node_modules/@modelcontextprotocol/sdk/dist/esm", path)).href);
}
