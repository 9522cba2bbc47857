import type { Command } from "commander";
import type { ApiKey, LatchkeyClient, Tenant } from "../../../clients/typescript/src/index.ts";
import { TENANT } from "../columns/access.ts";
import { TENANT_KEY } from "../columns/keys.ts";
import { addCommand, addGroup, type Invocation, type Surroundings } from "../command.ts";
import { secretIn } from "../input/secret-source.ts";
import { addLost, addOperatorAudit } from "./audit.ts";
import { addErasures } from "./erase.ts";
import { asOperator } from "./key-calls.ts";
import { addKeyCommands } from "./key-commands.ts";
import { type NewKeyOptions, newKeyOf, withNewKey } from "./new-key.ts";
import { type PageOptions, pageOf, withPages } from "./page.ts";
import { issue, type RequestIdOption, requestIdOf, withRequestId } from "./request-id.ts";
import { addOperatorExplain } from "./requests.ts";
import { addRevokeSince } from "./revoke-since.ts";

/** `latchkey operator`: keys and tenants of all customers, for those who run the service. */
export function addOperator(program: Command, around: Surroundings): void {
  const operator = addGroup(program, "operator", "keys and tenants of all customers, for those who run the service");
  const keys = addGroup(operator, "keys", "keys of any tenant");
  addKeys(keys, around);
  for (const command of addKeyCommands(keys, around, asOperator)) {
    command.requiredOption("--tenant <tenant_id>", "tenant that the keys belong to");
  }
  addKeyChange(keys, around, "revoke", "make a key unusable at once, for ever", (api, keyId) =>
    api.revokeKey({ keyId }),
  );
  addKeyChange(keys, around, "disable", "switch a key off until it is enabled", (api, keyId) =>
    api.disableKey({ keyId }),
  );
  addKeyChange(keys, around, "enable", "switch a disabled key on", (api, keyId) => api.enableKey({ keyId }));
  addRevokeSince(keys, around);
  const tenants = addGroup(operator, "tenants", "the customers");
  addTenants(tenants, around);
  addErasures(operator, tenants, around);
  addOperatorAudit(operator, around);
  addLost(operator, around);
  addOperatorExplain(operator, around);
}

/** Makes a key of any tenant. `latchkey keys create --tenant` does the same. */
export async function createTenantKey(run: Invocation<CreateOptions>, tenantId: string): Promise<void> {
  const request = { tenantId, ...newKeyOf(run.options), ...requestIdOf(run.options) };
  const client = await run.client("operator");
  const response = await client.operator.createTenantKey(request);
  const { result, warning } = response;
  if (warning !== undefined) run.note(`Warning: ${warning}`);
  if (result !== undefined) issue(run, response, result);
}

type CreateOptions = NewKeyOptions & RequestIdOption;

interface FindOptions extends PageOptions {
  readonly keyPrefix?: string;
  readonly valueFile?: string;
}

function addKeys(keys: Command, around: Surroundings): void {
  const creates = "make a key of any tenant, for example the first; stdout has its value, once";
  const create = addCommand<CreateOptions & { tenant: string }>(keys, "create", creates, around, (run) =>
    createTenantKey(run, run.options.tenant),
  );
  withRequestId(
    withNewKey(create.requiredOption("--tenant <tenant_id>", "tenant that the key is for; it need not be known")),
  );
  const finds = "find keys by identifier, by their first characters, or by the whole value";
  const find = addCommand<FindOptions>(keys, "find [key_id]", finds, around, async (run) => {
    const [keyId] = run.args;
    const { keyPrefix, valueFile } = run.options;
    const client = await run.client("operator");
    const response = await client.operator.findKeys({
      ...pageOf(run.options),
      ...(keyId !== undefined && { keyId }),
      ...(keyPrefix !== undefined && { keyPrefix }),
      ...(valueFile !== undefined && { key: secretIn(valueFile, "--value-file") }),
    });
    run.list(response, response.keys, TENANT_KEY, response.pagination);
  });
  withPages(find)
    .option("--key-prefix <text>", "beginning of the key, at least 6 characters")
    .option("--value-file <path>", "file with the whole key, `-` for stdin");
}

function addKeyChange(
  keys: Command,
  around: Surroundings,
  name: string,
  description: string,
  change: (api: LatchkeyClient["operator"], keyId: string) => Promise<{ result?: ApiKey | undefined }>,
): void {
  addCommand(keys, `${name} <key_id>`, description, around, async (run) => {
    const [keyId = ""] = run.args;
    const client = await run.client("operator");
    const response = await change(client.operator, keyId);
    run.item(response, response.result, TENANT_KEY);
  });
}

function addTenants(tenants: Command, around: Surroundings): void {
  const list = addCommand<PageOptions & { suspended?: true }>(
    tenants,
    "list",
    "list tenants that have an organization, a key or a suspension",
    around,
    async (run) => {
      const client = await run.client("operator");
      const onlySuspended = run.options.suspended === true;
      const response = await client.operator.listTenants({ ...pageOf(run.options), onlySuspended });
      run.list(response, response.tenants, TENANT, response.pagination);
    },
  );
  addTenantCommand(tenants, around, "get", "show a tenant", (api, tenantId) => api.getTenant({ tenantId }));
  withPages(list).option("--suspended", "only suspended tenants");
  addTenantCommand(
    tenants,
    around,
    "suspend",
    "refuse all requests of a tenant until it is resumed",
    (api, tenantId, reason) => api.suspendTenant({ tenantId, reason }),
  ).option("--reason <text>", "reason; never shown to the tenant");
  addTenantCommand(tenants, around, "resume", "end the suspension of a tenant", (api, tenantId) =>
    api.resumeTenant({ tenantId }),
  );
}

function addTenantCommand(
  tenants: Command,
  around: Surroundings,
  name: string,
  description: string,
  call: (api: LatchkeyClient["operator"], tenantId: string, reason: string) => Promise<{ result?: Tenant | undefined }>,
): Command {
  return addCommand<{ reason?: string }>(tenants, `${name} <tenant_id>`, description, around, async (run) => {
    const [tenantId = ""] = run.args;
    const client = await run.client("operator");
    const response = await call(client.operator, tenantId, run.options.reason ?? "");
    run.item(response, response.result, TENANT);
  });
}
