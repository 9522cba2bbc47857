import { access, mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const V1 = "/sys/fs/cgroup/memory";
const V2 = "/sys/fs/cgroup";

/** A control group of the kernel, as a container has one. */
export interface MemoryLimit {
  readonly folder: string;
  /** The most bytes that its processes and their files in memory have taken at a time. */
  peak(): Promise<number>;
  /** How many of its processes the kernel has killed for lack of memory. */
  kills(): Promise<number>;
  remove(): Promise<void>;
}

/** Limits the memory of the processes that are put into it; swap does not count as more. */
export async function limitMemory(bytes: number): Promise<MemoryLimit> {
  const isV1 = await access(V1).then(
    () => true,
    () => false,
  );
  const folder = `${isV1 ? V1 : V2}/latchkey-image-${process.pid}-${performance.now().toFixed(0)}`;
  try {
    await mkdir(folder);
    await writeFile(`${folder}/${isV1 ? "memory.limit_in_bytes" : "memory.max"}`, String(bytes));
    await writeFile(
      `${folder}/${isV1 ? "memory.memsw.limit_in_bytes" : "memory.swap.max"}`,
      isV1 ? String(bytes) : "0",
    ).catch(
      // A kernel that accounts for no swap.
      () => undefined,
    );
  } catch (cause) {
    throw new Error(
      "The test of the image needs a memory control group: run it as root, on Linux, where it may make one.",
      { cause },
    );
  }
  const read = async (name: string) => readFile(`${folder}/${name}`, "utf8");
  return {
    folder,
    peak: async () => Number(await read(isV1 ? "memory.max_usage_in_bytes" : "memory.peak")),
    kills: async () => Number(/^oom_kill (\d+)$/m.exec(await read(isV1 ? "memory.oom_control" : "memory.events"))?.[1]),
    async remove() {
      // The kernel lets go of a group a moment after its last process has ended.
      for (let attempt = 0; attempt < 50; attempt++) {
        const isRemoved = await rmdir(folder).then(
          () => true,
          () => false,
        );
        if (isRemoved) return;
        await sleep(100);
      }
      throw new Error(`${folder} still has processes: ${await read("cgroup.procs")}`);
    },
  };
}
