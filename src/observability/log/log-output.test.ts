import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { createLogOutput } from "./log-output.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-log-"));
const open: number[] = [];
const WAIT = { timeout: 20_000 };

afterEach(() => {
  for (const fd of open.splice(0)) closeSync(fd);
});
afterAll(() => rmSync(folder, { recursive: true }));

function opened(path: string, flags: number | string): number {
  const fd = openSync(path, flags);
  open.push(fd);
  return fd;
}

/** A pipe by name: its readers may come and go, and the writer's descriptor stays the same. */
function pipe(name: string): { read: () => number; writer: number } {
  const path = join(folder, name);
  execFileSync("mkfifo", [path]);
  const read = () => opened(path, constants.O_RDONLY | constants.O_NONBLOCK);
  // A FIFO opens only with a reader.
  const first = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = opened(path, constants.O_WRONLY | constants.O_NONBLOCK);
  closeSync(first);
  return { read, writer };
}

/** What has come to a reader so far. */
function received(reader: number): string {
  const chunk = Buffer.alloc(1_048_576);
  try {
    return chunk.toString("latin1", 0, readSync(reader, chunk));
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === "EAGAIN") return "";
    throw err;
  }
}

test("text is written in its order, whole, however much of it there is", async () => {
  const path = join(folder, "file");
  const output = createLogOutput(opened(path, "w"), { onLoss: () => expect.unreachable() });
  const texts = Array.from({ length: 500 }, (_, n) => `${n}:${"é".repeat(n)}\n`);
  for (const text of texts) output.write(text);
  await expect.poll(() => readFileSync(path, "utf8"), WAIT).toBe(texts.join(""));
});

test("text that cannot be written is lost and reported once, and later text is written as soon as possible", async () => {
  const { read, writer } = pipe("away");
  const losses: string[] = [];
  const output = createLogOutput(writer, { onLoss: ({ code = "" }) => losses.push(code) });
  output.write("lost\n");
  await expect.poll(() => losses, WAIT).toEqual(["EPIPE"]);
  const reader = read();
  output.write("again\n");
  let seen = "";
  // On a line of its own: what was lost may have broken off.
  await expect
    .poll(() => {
      seen += received(reader);
      return seen;
    }, WAIT)
    .toBe("\nagain\n");
  expect(losses).toEqual(["EPIPE"]);
});

test("for a reader that stalls, no more waits than is to be kept, and what waits is written in the end", async () => {
  const { read, writer } = pipe("slow");
  const reader = read();
  const losses: string[] = [];
  const output = createLogOutput(writer, { onLoss: ({ code = "" }) => losses.push(code), waitingMax: 300_000 });
  const line = `${"x".repeat(99_999)}\n`;
  for (let n = 0; n < 10; n++) output.write(line);
  // The first is under way, three wait, six are lost.
  expect(losses).toEqual(["ENOBUFS"]);
  let seen = "";
  await expect
    .poll(() => {
      seen += received(reader);
      return seen.replaceAll("\n", "").length;
    }, WAIT)
    .toBe(4 * 99_999);
});

test("at the end, as much of what waits is written as its reader takes, before the process goes", () => {
  const { read, writer } = pipe("last");
  const reader = read();
  const output = createLogOutput(writer, { onLoss: () => {} });
  output.write("under way\n");
  output.write("x".repeat(40_000));
  output.end("y".repeat(2_000_000));
  expect(received(reader)).toMatch(/x{40000}y{10000}/);
});
