import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server of this run. Each test file makes a database of its own on it. */
    postgresUrl: string;
  }
}

/** Starts what the tests need once for the whole run; vitest calls what it answers at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide("postgresUrl", server.url);
  return () => server.stop();
}
