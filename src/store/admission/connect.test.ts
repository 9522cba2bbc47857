import { Writable } from "node:stream";
import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { newKey } from "../../../test/store/records.ts";
import { connectAdmission } from "./connect.ts";

const log = pino(new Writable());

test.each([
  ["caches keys where no other process can change them", true, 1],
  ["reads the key at each request where other processes can change it", false, 10],
])("without Redis %s", async (_, isSoleProcess, reads) => {
  const clock = () => new Date();
  const ctx = {
    log,
    warn: () => {},
    metrics: new Registry(),
    clock,
    isSoleProcess,
    databaseId: async () => "",
    redisClock: undefined,
  };
  const backend = await connectAdmission(null, ctx);
  expect(backend.invalidation !== undefined).toBe(isSoleProcess);
  const { record, secretHash } = newKey();
  let count = 0;
  const keys = {
    findKeyBySecretHash: async () => {
      count += 1;
      return record;
    },
  };
  const admission = backend.open(keys, { readKeyChanges: async () => ({ cursor: "", changes: [], isAll: true }) });
  for (let n = 0; n < 10; n++) expect((await admission.present(secretHash, true))?.key).toEqual(record);
  expect(count).toBe(reads);
  backend.close();
});
