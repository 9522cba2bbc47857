import { writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";

/** Preloaded into a server: SIGUSR2 makes it collect its garbage and write the bytes that are left to `HEAP_SIZE_FILE`. */
const session = new Session();
session.connect();

process.on("SIGUSR2", () => {
  report().catch((err: unknown) => console.error(err));
});

async function report(): Promise<void> {
  await session.post("HeapProfiler.collectGarbage");
  await writeFile(process.env.HEAP_SIZE_FILE ?? "heap-size", String(process.memoryUsage().heapUsed));
}
