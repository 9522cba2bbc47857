import { expect, test } from "vitest";
import { failOnUnheardErrors } from "./unheard-errors.ts";

const log = (type: "stdout" | "stderr", content: string) =>
  failOnUnheardErrors().onUserConsoleLog?.({ type, content, time: 0, size: 0 });

test("an error of ioredis that nothing listens to fails the run, and other lines do not", () => {
  expect(() => log("stderr", "[ioredis] Unhandled error event: Error: connect ECONNREFUSED\n")).toThrow("ECONNREFUSED");
  log("stderr", "a warning\n");
  log("stdout", "a line about [ioredis] Unhandled error event\n");
});
