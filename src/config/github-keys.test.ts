import { expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { readConfig } from "./config.ts";

const ON = { GITHUB_SECRET_SCANNING: "true" };
const URL_NAME = "GITHUB_SECRET_SCANNING_KEYS_URL";

test("GitHub's reports are not taken unless GITHUB_SECRET_SCANNING is true", () => {
  expect(readConfig({}).githubKeysUrl).toBeNull();
  expect(readConfig({ GITHUB_SECRET_SCANNING: "false" }).githubKeysUrl).toBeNull();
  expect(mistakes({ GITHUB_SECRET_SCANNING: "yes" })).toHaveLength(1);
});

test("the keys are GitHub's, or those of another URL", () => {
  expect(readConfig(ON).githubKeysUrl).toBe("https://api.github.com/meta/public_keys/secret_scanning");
  for (const url of ["https://github.example.com/keys", "http://127.0.0.1:8081/keys", "http://[::1]:8081/keys"])
    expect(readConfig({ ...ON, [URL_NAME]: url }).githubKeysUrl).toBe(url);
});

test.each([
  ["http://github.example.com/keys", "must begin with https://"],
  ["ftp://github.example.com/keys", "must"],
  ["https://user:password@github.example.com/keys", "GitHub's keys are public"],
])("the URL %s is a mistake", (url, problem) => {
  const [line = "", ...others] = mistakes({ ...ON, [URL_NAME]: url });
  expect(others).toEqual([]);
  expect(line).toContain(URL_NAME);
  expect(line).toContain(problem);
});

test("a URL alone is a mistake, since it would do nothing", () => {
  expect(mistakes({ [URL_NAME]: "https://github.example.com/keys" })).toEqual([
    `${URL_NAME} has no effect without GITHUB_SECRET_SCANNING=true`,
  ]);
});
