import { readFile } from "node:fs/promises";
import { blocksOf } from "./callers.ts";
import { startGlewlwyd } from "./issuers/glewlwyd.ts";
import { describeIssuer, type Guide } from "./issuers/issuer.suite.ts";
import type { Issuer } from "./issuers/issuer.ts";
import { startKeycloakIssuer } from "./issuers/keycloak-issuer.ts";
import { startOidcProvider } from "./issuers/oidc-provider.ts";
import { startCanaille, startDjango } from "./issuers/python-issuers.ts";

// Identity providers that package registries have, each as its guide says.

const ISSUERS: readonly (readonly [string, string, () => Promise<Issuer>])[] = [
  ["oidc-provider", "oidc-provider.md", startOidcProvider],
  ["django-oauth-toolkit", "django-oauth-toolkit.md", startDjango],
  ["Canaille", "canaille.md", startCanaille],
  ["Glewlwyd", "glewlwyd.md", startGlewlwyd],
  ["Keycloak", "keycloak.md", startKeycloakIssuer],
];

/** The variables and the key of a guide, with the issuer of a test. */
async function readGuide(file: string, url: string): Promise<Guide> {
  const page = await readFile(new URL(`../../docs/guides/identity/${file}`, import.meta.url), "utf8");
  const text = page.replaceAll("https://id.acme.example", url);
  const [variables = ""] = blocksOf(text, "env").filter((block) => block.includes("OIDC_ISSUER="));
  const [key = ""] = blocksOf(text, "json").filter((block) => block.includes("publishableConfig"));
  const lines = variables.trim().split("\n");
  return { env: Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2))), key: JSON.parse(key) };
}

for (const [name, file, start] of ISSUERS)
  describeIssuer(name, async () => {
    const issuer = await start();
    return { issuer, guide: await readGuide(file, issuer.url) };
  });
