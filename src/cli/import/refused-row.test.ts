import fc from "fast-check";
import { expect, test } from "vitest";
import { readAll } from "../../../test/cli/import-reading.ts";
import { pieces } from "../../../test/cli/pieces.ts";
import { refusedRow } from "./refused-row.ts";

const ROW = {
  hash: { algorithm: "SHA256", digest: "-c-x6SuZjokc6t2MZ3AgZc7Suigs7hW_Yu0u-zRRjpc" },
  key_format: "acme",
  name: "=cmd|' /C calc'!A0",
  permissions: ["a:b", "=1+1"],
  metadata: { "@sum": ["-1", "a,=b", "\t=c", "＝d"], left: -1, big: 1e21 },
  expires_at: "2027-01-01T00:00:00.000Z",
} as const;
const REFUSED = { reason: "key_format_unknown", field: "key_format", message: "no such format" };

// The separators that spreadsheets offer, and the quotes of CSV.
const CELLS = /[,;\t|\s]|"/;
const isFormula = (cell: string) => /^[=+\-@\t\r＝＋－＠]/.test(cell) && !/^-\d+[\]}]*$/.test(cell);

// threat: K30
test("no cell of a refused row begins a formula, wherever a spreadsheet splits it", () => {
  const line = refusedRow(7, REFUSED, ROW);
  expect(line.split(CELLS).filter(isFormula)).toEqual([]);
  expect(line).not.toContain("\n");
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom(..."=+-@,;|\t\r\n \"'\\a＝") })), (permissions) => {
      const any = refusedRow(1, REFUSED, { permissions });
      expect(any.split(CELLS).filter(isFormula)).toEqual([]);
      expect(JSON.parse(any)).toEqual({ line: 1, refused: REFUSED, permissions });
    }),
  );
});

test("a refused row is imported again as it was, and loses nothing", async () => {
  const { read, findings } = await readAll(pieces(`${refusedRow(7, REFUSED, ROW)}\n`), "latchkey");
  expect(read).toEqual([{ line: 1, row: ROW }]);
  expect(findings.lost).toEqual([]);
});

test("a record that could not be read has no row, and is a problem again", async () => {
  const line = refusedRow(7, { field: "token", message: "is not a digest" });
  const { read } = await readAll(pieces(line), "latchkey");
  expect(read).toMatchObject([{ line: 1, problem: { member: "hash" } }]);
});
