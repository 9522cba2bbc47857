// promise: paths.cors
import { expect, test } from "vitest";
import { makeSecret } from "../../domain/credentials/secret.ts";
import { createCorsLog } from "./cors-log.ts";
import { createLogger } from "./log.ts";

function started() {
  const lines: string[] = [];
  const report = createCorsLog(createLogger("info", (line) => lines.push(line)));
  return { lines, report };
}

test("each origin is one line, however often its page calls", () => {
  const { lines, report } = started();
  for (let n = 0; n < 50; n++) for (const origin of ["https://a.example", "https://b.example"]) report(origin);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, origin: "https://a.example", msg: expect.stringContaining("CORS_ALLOWED_ORIGINS") },
    { level: 40, origin: "https://b.example" },
  ]);
});

test("strangers cannot fill the log, and the last line says that there are no more", () => {
  const { lines, report } = started();
  for (let n = 0; n < 10_000; n++) report(`https://${n}.example`);
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toContain("not logged until the next start");
});

test("a line has at most 128 printable characters of an origin, and never a key", () => {
  const { lines, report } = started();
  const key = makeSecret("secret");
  report(`https://${key}.example`);
  report(`https://\u202e${"x".repeat(10_000)}`);
  expect(lines.join("")).not.toContain(key.slice(3, 19));
  expect(JSON.parse(lines[1] ?? "").origin).toBe(`https://?${"x".repeat(119)}`);
});
