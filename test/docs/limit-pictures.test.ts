import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { FOLDER, pictures, simulated } from "../../tools/limit-pictures/pictures.ts";

const CAP = { requestsPerMinute: 60, requestsPerHour: 0 };

describe("the pictures of docs/guides/limits.md", () => {
  test("are what npm run generate draws, and all of them are shown", async () => {
    const guide = await readFile(new URL("../limits.md", FOLDER), "utf8");
    expect((await readdir(FOLDER)).sort()).toEqual(
      pictures()
        .map(([name]) => name)
        .sort(),
    );
    for (const [name, svg] of pictures()) {
      expect(await readFile(new URL(name, FOLDER), "utf8")).toBe(svg);
      expect(guide).toContain(`](pictures/${name})`);
    }
  });

  test("show what the guide says of them", () => {
    const admitted = (burstSize: number) => simulated({ ...CAP, burstSize }).map((second) => second.admitted);
    const sums = [0, 10, 1].map((burstSize) => admitted(burstSize).reduce((sum, count) => sum + count, 0));
    expect(sums).toEqual([120, 120, 120]);
    expect(admitted(0).slice(0, 12)).toEqual([42, ...Array(9).fill(2), 0, 0]);
    expect(admitted(10).slice(0, 3)).toEqual([10, 1, 1]);
    expect(admitted(10).slice(52, 61)).toEqual([...Array(8).fill(0), 10]);
    expect(admitted(1)).toEqual(Array(120).fill(1));
  });
});
