// promise: roles.claim, roles.denied, operator.callers
import { readFile } from "node:fs/promises";
import { type DescMethodUnary, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DenialReason, DenialSchema } from "../../gen/latchkey/v1/denial_pb.ts";
import { ErrorInfoSchema, ErrorReason } from "../../gen/latchkey/v1/error_reason_pb.ts";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { CALLERS, EXAMPLE_ROLES, type TableCaller } from "../../tools/authorization-tables/callers.ts";
import { PAGE, parts } from "../../tools/authorization-tables/page.ts";
import { type Cell, ROLE_NAMES, rpcTable, scopeTable } from "../../tools/authorization-tables/tables.ts";
import { accessRules } from "../harness/access-rules.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { newTenant } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { bearer, type PublishableService, startPublishable } from "../harness/publishable.ts";
import { isFirstOfItsKind, OPEN_RPCS, type OpenRpc, RPCS } from "../harness/rpcs.ts";
import { WIRES } from "../harness/wires.ts";

type Headers = Record<string, string>;

const METHODS = SERVICES.flatMap((service) => service.methods);
const GRPC = WIRES.find(({ name }) => name === "gRPC in binary over cleartext HTTP/2");
const OPERATOR_TENANT = newTenant();
/** RPCs that are also called over gRPC: the gate decides alike for all of a kind, by whatever protocol they are called. */
const OF_EACH_KIND = [...RPCS.filter(isFirstOfItsKind), ...OPEN_RPCS].map(({ path }) => path);

let service: PublishableService;
/** One connection for all calls over gRPC. */
let grpc: Transport;
/** The headers of each caller of the table, in the order of its columns. */
let headers: readonly Headers[];

beforeAll(async () => {
  const access = accessRules({ rolesClaim: "roles", roles: EXAMPLE_ROLES, operatorTenant: OPERATOR_TENANT });
  service = await startPublishable({ access });
  if (GRPC === undefined) throw new Error("no gRPC over cleartext HTTP/2");
  grpc = GRPC.transport(service.latchkey.url);
  headers = await Promise.all(CALLERS.map(({ credentials }) => headersOf(credentials)));
});

afterAll(async () => {
  await service.latchkey.close();
  await service.keyHost.close();
});

async function headersOf(credentials: TableCaller["credentials"]): Promise<Headers> {
  const { latchkey } = service;
  switch (credentials.kind) {
    case "none":
      return {};
    case "operator":
      return OPERATOR;
    case "secret_key": {
      const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: credentials.permissions });
      return { "x-api-key": key };
    }
    case "token": {
      const { permissions } = credentials;
      const key = await derivingKey(latchkey, { permissions });
      return bearer((await key.derive({ scopes: permissions })).token);
    }
    case "publishable_key": {
      const app = await service.newApp({ fields: { permissions: credentials.permissions } });
      return app.headers();
    }
    case "user": {
      const tenants = { own: newTenant(), operator: OPERATOR_TENANT, none: undefined };
      return userHeaders(credentials.role, tenants[credentials.tenant]);
    }
  }
}

async function userHeaders(role: string, tenant: string | undefined): Promise<Headers> {
  return bearer(await service.latchkey.dashboardToken({ tenant_id: tenant, roles: [role] }));
}

/** No key has the id: a caller who may call gets the answer of the rules about keys. */
function bodyOf(rpc: OpenRpc): object {
  return rpc.path === "/api/v1/auth/verify" ? { tenant_optional: true } : rpc.body("key_none");
}

/** The cell of an answer as JSON, or what it answered where a table has no word for that. */
async function overHttp(rpc: OpenRpc, caller: Headers): Promise<Cell | string> {
  const { status, json } = await service.latchkey.call(rpc.path, bodyOf(rpc), caller);
  if ([200, 400, 404].includes(status)) return "yes";
  return wordFor(`${status} ${json.denial_reason}`, json.reason);
}

async function overGrpc(rpc: OpenRpc, caller: Headers): Promise<Cell | string> {
  const method = METHODS.find(({ parent, name }) => rpc.procedure === `/${parent.typeName}/${name}`);
  if (method === undefined) throw new Error(`no ${rpc.procedure}`);
  try {
    const message = fromJson(method.input, bodyOf(rpc) as JsonValue);
    await grpc.unary(method as DescMethodUnary, undefined, undefined, caller, message as never);
    return "yes";
  } catch (err) {
    const error = ConnectError.from(err);
    if ([Code.InvalidArgument, Code.FailedPrecondition, Code.NotFound].includes(error.code)) return "yes";
    const [denial] = error.findDetails(DenialSchema);
    const status = error.code === Code.Unauthenticated ? 401 : error.code === Code.PermissionDenied ? 403 : error.code;
    const [reason] = Object.entries(DenialReason).find(([, value]) => value === denial?.reason) ?? [];
    const [info] = error.findDetails(ErrorInfoSchema);
    const specific = info?.reason === ErrorReason.TOKEN_NOT_ALLOWED ? "token_not_allowed" : undefined;
    return wordFor(`${status} ${reason?.toLowerCase()}`, specific);
  }
}

function wordFor(answer: string, reason?: string): Cell | string {
  if (answer === "403 insufficient_scope" && reason === "token_not_allowed") return "token";
  const words: Record<string, Cell> = {
    "401 missing_credentials": "401",
    "403 insufficient_scope": "scope",
    "403 tenant_required": "tenant",
  };
  return words[answer] ?? answer;
}

describe("who may call what", () => {
  test("is in the table for every RPC", () => {
    expect(
      rpcTable()
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual([...RPCS, ...OPEN_RPCS].map(({ path }) => path).toSorted());
  });

  // threat: K12
  test.each(rpcTable().filter(({ path }) => OF_EACH_KIND.includes(path)))(
    "$path answers each caller as the table says, over HTTP and gRPC",
    async ({ path, cells }) => {
      for (const answerOf of [overHttp, overGrpc]) await expectCells(path, cells, answerOf);
    },
  );

  test.each(rpcTable().filter(({ path }) => !OF_EACH_KIND.includes(path)))(
    "$path answers each caller as the table says, over HTTP",
    ({ path, cells }) => expectCells(path, cells, overHttp),
  );

  async function expectCells(path: string, cells: readonly string[], answerOf: typeof overHttp): Promise<void> {
    const rpc = [...RPCS, ...OPEN_RPCS].find((one) => one.path === path);
    if (rpc === undefined) throw new Error(`no ${path}`);
    const answers = await Promise.all(headers.map((caller) => answerOf(rpc, caller)));
    expect(byCaller(answers), answerOf.name).toEqual(byCaller(cells));
  }
});

function byCaller(cells: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(CALLERS.map(({ name }, index) => [name, cells[index]]));
}

describe("the scopes of a role", () => {
  test.each(ROLE_NAMES.map((role, column) => [role, column] as const))(
    "%s are those of the table, in an ordinary tenant and in the operator's",
    async (role, column) => {
      const [ordinary, operator] = await Promise.all([
        userHeaders(role, newTenant()),
        userHeaders(role, OPERATOR_TENANT),
      ]);
      const asked = scopeTable().map(async ({ scope, cells }) => {
        const answers = await Promise.all([verify(scope, ordinary), verify(scope, operator)]);
        return [scope, cells[column], ...answers];
      });
      const expected = { yes: ["yes", "yes"], operator: ["scope", "yes"], "": ["scope", "scope"] };
      expect(await Promise.all(asked)).toEqual(
        scopeTable().map(({ scope, cells }) => [scope, cells[column], ...expected[cells[column] ?? ""]]),
      );
    },
  );

  async function verify(scope: string, caller: Headers): Promise<string> {
    const { status, json } = await service.latchkey.call("/api/v1/auth/verify", { scope }, caller);
    return status === 200 ? "yes" : wordFor(`${status} ${json.denial_reason}`);
  }
});

test.each(parts())("docs/authorization.md has what is tested here, after $begin", async ({ begin, end, text }) => {
  const [, rest = ""] = (await readFile(PAGE, "utf8")).split(begin);
  expect(rest.split(end)[0]).toBe(`\n\n${text}\n\n`);
});
