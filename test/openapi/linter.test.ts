import { beforeAll, describe, expect, test } from "vitest";
import openapi from "../../gen/openapi.json" with { type: "json" };
import { INSTALL_MS, load } from "../../tools/on-demand/packages.ts";

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

/** What is used of `@redocly/openapi-core`. */
interface Redocly {
  createConfig(config: object): Promise<object>;
  lintFromString(document: { source: string; absoluteRef: string; config: object }): Promise<readonly Problem[]>;
}

let redocly: Redocly;

beforeAll(async () => {
  redocly = await load<Redocly>("@redocly/openapi-core");
}, INSTALL_MS);

async function problems(source: object): Promise<string[]> {
  const config = await redocly.createConfig({ extends: ["recommended-strict"] });
  const found = await redocly.lintFromString({ source: JSON.stringify(source), absoluteRef: "openapi.json", config });
  return found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

describe("the committed document", () => {
  test("passes the linter's strict rules", async () => {
    expect(await problems(openapi)).toEqual([]);
  });

  test("would fail them with a wrong example, reference or scheme", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the assertions are the check
    const broken: Record<string, any> = structuredClone(openapi);
    broken.paths["/api/v1/orgs/create"].post.requestBody.content["application/json"].example = { name: 5 };
    broken.components.schemas.ApiKey.properties.rate_limit.$ref = "#/components/schemas/None";
    broken.paths["/api/v1/api-keys/get"].post.security = [{ NoSuchScheme: [] }];
    const found = (await problems(broken)).join("\n");
    for (const rule of ["no-invalid-media-type-examples", "no-unresolved-refs", "security-defined"]) {
      expect(found).toContain(rule);
    }
  });
});
