import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { type PackedClient, packClient } from "../client/packed.ts";
import { newEmployer, sharedFederation } from "../harness/federation.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

const service = await sharedFederation();
const EXAMPLES = fileURLToPath(new URL("../../examples/federation/", import.meta.url));
const AUDIENCE = "https://latchkey.example.com/acme";

let client: PackedClient;
beforeAll(async () => {
  client = await packClient();
});
afterAll(() => client.remove());

/** What an example prints, with the rule of an employer. */
async function printed(name: string, env: Record<string, string>): Promise<string> {
  const path = join(client.project, name);
  await writeFile(path, await readFile(join(EXAMPLES, name)));
  const child = spawn(process.execPath, [path], {
    env: { PATH: process.env.PATH, LATCHKEY_URL: service.latchkey.url, ...env },
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  expect([code, err]).toEqual([0, ""]);
  return out;
}

describe("the example of", () => {
  test("GitHub Actions asks GitHub for a token with its own, and calls with what it is exchanged for", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create({ audience: AUDIENCE });
    const asked: unknown[] = [];
    const github = createServer((req, res) => {
      const url = new URL(req.url ?? "", "http://github");
      asked.push([url.searchParams.get("audience"), req.headers.authorization]);
      res.end(JSON.stringify({ value: employer.assertion({ aud: AUDIENCE }), count: 1 }));
    });
    const port = await listenOnLoopback(github);
    const out = await printed("github-actions.mjs", {
      ...{ LATCHKEY_RULE: rule_id, LATCHKEY_AUDIENCE: AUDIENCE, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token" },
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2`,
    }).finally(() => closeAll(github));
    expect(out).toBe(`This job acts for ${employer.tenant} with conversations:read.\n`);
    expect(asked).toEqual([[AUDIENCE, "Bearer request-token"]]);
  });

  test("Kubernetes reads the token that the kubelet has put into the file", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const path = join(client.project, "token");
    await writeFile(path, employer.assertion());
    const out = await printed("kubernetes.mjs", { LATCHKEY_RULE: rule_id, LATCHKEY_TOKEN_FILE: path });
    expect(out).toBe(`This pod acts for ${employer.tenant} with conversations:read.\n`);
  });
});

test("the workflow may ask for a token, and the pod has one of ten minutes for the same audience", async () => {
  const [workflow] = parseAllDocuments(await readFile(join(EXAMPLES, "github-actions.yml"), "utf8"));
  expect(workflow?.toJS().permissions).toEqual({ contents: "read", "id-token": "write" });
  const [, pod] = parseAllDocuments(await readFile(join(EXAMPLES, "kubernetes.yaml"), "utf8"));
  const [{ projected }] = pod?.toJS().spec.volumes ?? [];
  expect(projected.sources).toEqual([
    { serviceAccountToken: { path: "token", audience: AUDIENCE, expirationSeconds: 600 } },
  ]);
});
