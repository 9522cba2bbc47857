// promise: orgs.switch
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("a user switches between their organizations, again and again", async () => {
  const user = orgUser(latchkey);
  const create = async (name: string) => (await user.call("create", { name })).json.result;
  const [first, second] = [await create("A"), await create("B")];
  for (const [chosen, name] of [
    [first, "A"],
    [second, "B"],
    [first, "A"],
  ] as const) {
    const { org_id, tenant_id } = chosen;
    const { json } = await user.call("switch", { org_id });
    expect(json).toEqual({ result: { org_id, tenant_id, name, role: "owner", current: true } });
    const { orgs } = (await user.call("list")).json;
    expect(orgs.filter(({ current }: { current: boolean }) => current)).toEqual([json.result]);
  }
});
