// promise: keys.once
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

test.each(["/api/v1/api-keys/create", "/latchkey.v1.ApiKeyService/CreateApiKey"])(
  "every answer of %s is no-store",
  async (path) => {
    const body = { name: "a", permissions: ["plans:read"] };
    const headers = await latchkey.dashboard();
    const answers = [
      await latchkey.call(path, body, headers),
      await latchkey.call(path, { nonsense: 1 }, headers),
      await latchkey.call(path, "{", headers),
      await latchkey.call(path, body, { ...headers, "content-type": "text/plain" }),
      await latchkey.call(path, body, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 415, 401]);
    expect(answers.map((answer) => answer.headers.get("cache-control"))).toEqual(answers.map(() => "no-store"));
  },
);
