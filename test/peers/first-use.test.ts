import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFormat, drawText } from "../harness/imports.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";
import { createVenv, type Venv } from "./venv.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A service whose table has one key, by bcrypt. It is called three times with the key, and once with another text. */
const SERVICE = `
import os
import bcrypt
from first_use import FirstUse
from latchkey import Guard, Latchkey, UserToken, v1

url, token = os.environ["LATCHKEY_URL"], os.environ["OPERATOR_TOKEN"]

key = os.environ["OLD_KEY"]
stored = bcrypt.hashpw(key.encode(), bcrypt.gensalt(4))
verified = []

def verify(text: str) -> v1.ImportedRow | None:
    verified.append(text)
    if not bcrypt.checkpw(text.encode(), stored):
        return None
    return v1.ImportedRow(tenant_id=os.environ["TENANT"], name="moved", permissions=["plans:read"])

service = FirstUse(Guard(url), Latchkey(url, UserToken(lambda: token)), verify)
for text, scope in [(key, "plans:read"), (key, "plans:read"), (key, "plans:write"), (os.environ["OTHER"], "plans:read")]:
    verdict = service.check(text, scope)
    print(verdict.status, verdict.caller and verdict.caller.tenant_id)
print(verified == [key, os.environ["OTHER"]])
`;

let latchkey: Latchkey;
let venv: Venv;
beforeAll(async () => {
  [latchkey, venv] = await Promise.all([
    startLatchkey(),
    createVenv(`${join(ROOT, "clients/python")}`, "bcrypt==5.0.0", "mypy==2.4.1", "types-protobuf==7.35.1.20260906"),
  ]);
}, 300_000);
afterAll(async () => {
  await latchkey?.close();
  await venv?.remove();
});

test("in Python, a key of a bcrypt table is imported at its first use, and Latchkey decides from then on", async () => {
  const format = await createFormat(latchkey);
  const { tenant } = dashboardOf(latchkey);
  const env = {
    ...{ LATCHKEY_URL: latchkey.url, OPERATOR_TOKEN, TENANT: tenant },
    ...{ OLD_KEY: drawText(format), OTHER: drawText(format), PYTHONPATH: join(ROOT, "examples/migrate") },
  };
  const printed = await venv.run("python", ["-c", SERVICE], { env });
  expect(printed.trim().split("\n")).toEqual([`200 ${tenant}`, `200 ${tenant}`, "403 None", "401 None", "True"]);
}, 180_000);

test("the example's types are right", async () => {
  const args = ["--strict", "--cache-dir", join(venv.dir, "mypy"), join(ROOT, "examples/migrate/first_use.py")];
  expect(await venv.run("mypy", args)).toContain("Success");
}, 180_000);
