// promise: keys.once
import { expect, test } from "vitest";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

test.each(["/api/v1/api-keys/rotate", "/latchkey.v1.ApiKeyService/RotateApiKey"])(
  "every answer of %s is no-store",
  async (path) => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    const body = { key_id };
    const headers = await latchkey.dashboard(dashboard.tenant);
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
