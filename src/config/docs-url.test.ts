import { expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { readConfig } from "./config.ts";

const TOKENS = { TOKEN_ISSUER: "https://tokens.example/", TOKEN_SECRET: "t".repeat(32) };

test("links in errors begin with DOCS_URL, else with the issuer of the service's own tokens, else with nothing", () => {
  expect(readConfig({}).docsUrl).toBe("");
  expect(readConfig(TOKENS).docsUrl).toBe("https://tokens.example");
  expect(readConfig({ ...TOKENS, DOCS_URL: "https://keys.example/latchkey/" }).docsUrl).toBe(
    "https://keys.example/latchkey",
  );
  expect(readConfig({ DOCS_URL: "http://localhost:8080" }).docsUrl).toBe("http://localhost:8080");
});

test.each([
  "keys.example",
  "http://keys.example",
  "https://a:b@keys.example",
  "https://keys.example/#x",
  "https://keys.example?x",
])("DOCS_URL is not %s", (url) => {
  expect(mistakes({ DOCS_URL: url })).toEqual([expect.stringContaining("DOCS_URL must be a public URL")]);
});
