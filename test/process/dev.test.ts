import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { type Running, run } from "../harness/service-process.ts";
import { copyTemplate } from "../servers/embedded-template.ts";

let cwd: string;
let started: Running | undefined;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-dev-"));
});

afterEach(async () => {
  started?.child.kill("SIGKILL");
  await started?.ended();
  await rm(cwd, { recursive: true, force: true });
});

function startDev(env: Record<string, string>): Running {
  started = run("dev/main.ts", { PORT: "0", ...env }, cwd);
  return started;
}

/** The status that a refused start ends with. */
async function refusal(dev: Running): Promise<number | null | "none"> {
  const isServing = dev.waitFor(/Latchkey is running/).then(
    () => true,
    () => false,
  );
  return (await isServing) ? "none" : dev.ended();
}

describe("npm run dev", () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ["on every address", { HOST: "0.0.0.0" }, /^latchkey: HOST=0\.0\.0\.0 lets other machines reach .* container/],
    ["on every IPv6 address", { HOST: "::" }, /^latchkey: HOST=:: lets other machines reach/],
    ["under the name of a machine", { HOST: "dev-box" }, /^latchkey: HOST=dev-box lets other machines reach/],
    ["in production", { NODE_ENV: "production" }, /^latchkey: NODE_ENV is production, .* Run npm start instead/],
    ["where it is forbidden", { HOST: "0.0.0.0", DEV_ALLOW_EXPOSED: "false" }, /^latchkey: HOST=0\.0\.0\.0 lets/],
  ])("is refused %s, in one line that says why and what to set, before it makes anything", async (_, env, line) => {
    const refused = startDev(env);
    expect(await refusal(refused)).toBe(1);
    expect(refused.output()).toMatch(line);
    expect(refused.output()).toMatch(
      /It accepts every token signed with the key in \.latchkey\/dev.* DEV_ALLOW_EXPOSED=true\.\n$/,
    );
    await expect(access(join(cwd, ".latchkey"))).rejects.toThrow("ENOENT");
  });

  test("is refused where DEV_ALLOW_EXPOSED is neither true nor false", async () => {
    const refused = startDev({ DEV_ALLOW_EXPOSED: "yes" });
    expect(await refusal(refused)).toBe(1);
    expect(refused.output()).toBe("latchkey: DEV_ALLOW_EXPOSED must be one of true, false\n");
  });

  test("serves other machines, also in production, once DEV_ALLOW_EXPOSED=true says that this is meant", async () => {
    await copyTemplate(inject("embeddedTemplate"), join(cwd, "data"));
    const dev = startDev({ DATA_DIR: "data", HOST: "0.0.0.0", NODE_ENV: "production", DEV_ALLOW_EXPOSED: "true" });
    await dev.waitFor(/Latchkey is running/);
  });

  test("needs no leave to listen on this machine's own addresses by any of their names", async () => {
    await copyTemplate(inject("embeddedTemplate"), join(cwd, "data"));
    await startDev({ DATA_DIR: "data", HOST: "localhost" }).waitFor(/Latchkey is running/);
  });
});
