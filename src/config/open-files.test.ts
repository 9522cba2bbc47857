import { expect, test } from "vitest";
import { openFilesWarnings } from "./open-files.ts";

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             63432                63432                processes
Max open files            ${soft.padEnd(20)} 524288               files
`;

test.each(["256", "1023"])("%s open files are a warning that says what to do", (soft) => {
  expect([...openFilesWarnings(limits(soft))]).toEqual([
    expect.stringMatching(
      new RegExp(`^this process may have ${soft} open files, .* Allow 1024 or more, with ulimit -n`),
    ),
  ]);
});

test.each(["1024", "524288", "unlimited"])("%s open files are enough", (soft) => {
  expect([...openFilesWarnings(limits(soft))]).toEqual([]);
});

test("a system that does not show its limit has no warning", () => {
  expect([...openFilesWarnings("")]).toEqual([]);
});
