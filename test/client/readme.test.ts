import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { checkTypes, type PackedClient, packClient, run } from "./packed.ts";

const README = new URL("../../clients/typescript/README.md", import.meta.url);

let latchkey: Latchkey;
let packed: PackedClient;

beforeAll(async () => {
  [latchkey, packed] = await Promise.all([startLatchkey(), packClient()]);
});

afterAll(async () => {
  await latchkey.close();
  await packed.remove();
});

test("the README's programs are type-checked and do what they say, with the packed client", async () => {
  const programs = [...(await readFile(README, "utf8")).matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*?)```/g)];
  const tenant = newTenant();
  const { key } = await latchkey.createKey(await latchkey.dashboard(tenant));
  const env = {
    PATH: process.env.PATH,
    LATCHKEY_URL: latchkey.url,
    LATCHKEY_KEY: key,
    LATCHKEY_TOKEN: await latchkey.dashboardToken({ tenant_id: tenant }),
  };
  const outputs: string[] = [];
  for (const [index, [, program = ""]] of programs.entries()) {
    const file = join(packed.project, `program-${index}.mts`);
    await writeFile(file, program);
    await checkTypes(packed, file);
    outputs.push((await run(process.execPath, [file], { cwd: packed.project, env })).stdout);
  }
  const [conversation, management = "", publishable, guard, fetchGuard] = outputs;
  expect(conversation).toBe("You said: Hi\n1 conversation\n");
  expect(publishable).toMatch(/^pk_\w{9} \n$/);
  expect(guard).toBe("200 2147483647\n401\n");
  expect(fetchGuard).toBe('{"planId":"p1","kind":"secret_key"}\n');
  const [record = "", revoked] = management.split("\n");
  expect(revoked).toBe("revoked, as it should be");
  // What HTTP answers, zero values and all.
  expect(JSON.parse(record)).toMatchObject({
    name: "short-lived",
    description: "",
    status: "KEY_STATUS_REVOKED",
    rate_limit: { requests_per_minute: 0 },
    expires_at: expect.stringMatching(/^20\d\d-/),
  });
});
