import { create } from "@bufbuild/protobuf";
import { type ListValue, ListValueSchema } from "@bufbuild/protobuf/wkt";
import { Code, createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { KeyType } from "../../gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { WIRES } from "../harness/wires.ts";

const latchkey = await sharedLatchkey();

const one = (kind: ListValue["values"][number]["kind"]): ListValue => create(ListValueSchema, { values: [{ kind }] });

function nested(depth: number): ListValue {
  const list = create(ListValueSchema);
  return depth === 0 ? list : one({ case: "listValue", value: nested(depth - 1) });
}

const LISTS = {
  "not a number": one({ case: "numberValue", value: Number.NaN }),
  nothing: one({ case: undefined }),
  null: one({ case: "nullValue", value: 0 }),
  "a list in a list": nested(1),
  "lists nested 90 deep": nested(45),
  "lists nested 1,000 deep": nested(500),
};

describe.each(WIRES.filter(({ name, secure }) => !secure && name.includes("binary")))("$name", (wire) => {
  const client = createClient(ApiKeyService, wire.transport(latchkey.url));

  test.each(Object.entries(LISTS))(
    "a configuration's list that holds %s is refused as a fault of the caller",
    async (_name, list) => {
      const headers = await latchkey.dashboard();
      for (const member of ["authorizedParties", "claimRules"]) {
        const oidc = { issuer: "https://a.example", jwksUrl: "https://a.example/k", audience: "a", [member]: list };
        const key = { name: "k", permissions: ["plans:read"], keyType: KeyType.PUBLISHABLE };
        const made = client.createApiKey({ ...key, publishableConfig: { oidc } }, { headers });
        await expect(made).rejects.toMatchObject({ code: Code.InvalidArgument });
      }
    },
  );
});
