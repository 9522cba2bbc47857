import type { DescMessage } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  ApiKeyService,
  AuthService,
  ConnectError,
  GatewayService,
  type LatchkeyClient,
  OperatorService,
  OrgService,
  ScopeService,
  UsageService,
} from "../../clients/typescript/src/index.ts";
import { dashboardClient } from "../harness/clients.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();

/** Each RPC as the client has it, and its path over HTTP. */
const RPCS: [client: keyof LatchkeyClient, method: string, path: string, input: DescMessage][] = [
  ["apiKeys", "createApiKey", "/api-keys/create", ApiKeyService.method.createApiKey.input],
  ["apiKeys", "listApiKeys", "/api-keys/list", ApiKeyService.method.listApiKeys.input],
  ["apiKeys", "rotateApiKey", "/api-keys/rotate", ApiKeyService.method.rotateApiKey.input],
  ["apiKeys", "checkOidc", "/api-keys/check-oidc", ApiKeyService.method.checkOidc.input],
  ["auth", "verify", "/auth/verify", AuthService.method.verify.input],
  ["gateway", "sendMessage", "/llm/gateway/send-message", GatewayService.method.sendMessage.input],
  [
    "gateway",
    "getConversationState",
    "/llm/gateway/get-conversation-state",
    GatewayService.method.getConversationState.input,
  ],
  ["operator", "createTenantKey", "/operator/keys/create", OperatorService.method.createTenantKey.input],
  ["operator", "revokeKey", "/operator/keys/revoke", OperatorService.method.revokeKey.input],
  ["operator", "listTenants", "/operator/tenants/list", OperatorService.method.listTenants.input],
  ["operator", "eraseUser", "/operator/users/erase", OperatorService.method.eraseUser.input],
  ["operator", "suspendTenant", "/operator/tenants/suspend", OperatorService.method.suspendTenant.input],
  ["orgs", "createOrg", "/orgs/create", OrgService.method.createOrg.input],
  ["scopes", "listScopes", "/scopes/list", ScopeService.method.listScopes.input],
  ["usage", "getUsage", "/usage/get", UsageService.method.getUsage.input],
];

/** What other APIs call our members, what stands elsewhere in ours, and what is like none. */
const NAMES = ["scopes", "roles", "type", "limit", "page_size", "ttl", "rpm", "issuer", "content", "burst_size", "zzz"];

/** The members that a message names in quotes, or as the place of one, or as a list, in the spelling of JSON. */
function hintOf(text: string, schema: DescMessage): string[] {
  const hint = text.slice(text.indexOf(": is unknown") + 2).replace(/^is unknown( here)?; /, "");
  const jsonNames = new Map(fieldsOf(schema).map(({ localName, jsonName }) => [localName, jsonName]));
  return hint.split(/[\s",.?]+/).map((word) => jsonNames.get(word) ?? word);
}

/** Those of its messages, too, but not of Protobuf's own: a list can hold lists. */
function fieldsOf(schema: DescMessage): DescMessage["fields"] {
  return schema.fields.flatMap((field) => {
    const isOurs = field.message?.typeName.startsWith("latchkey.") === true;
    return field.message !== undefined && isOurs ? [field, ...fieldsOf(field.message)] : [field];
  });
}

/** Misspelt as people do: cut, doubled, with two letters swapped, in another case. */
function misspelt(name: string): string[] {
  return [
    name.slice(0, -1),
    `${name}s`,
    `${name.slice(0, 1)}${name.slice(2, 3)}${name.slice(1, 2)}${name.slice(3)}`,
  ].concat(name.toUpperCase());
}

describe.each(RPCS)("%s.%s", (of, method, path, input) => {
  test("has the same hint as the HTTP API for the same mistake", async () => {
    const client = dashboardClient(latchkey);
    const headers = of === "operator" ? OPERATOR : await latchkey.dashboard();
    const known = input.fields.flatMap(({ localName, jsonName, name }) => [localName, jsonName, name]);
    const names = new Set([...NAMES, ...input.fields.flatMap(({ localName }) => misspelt(localName))]);
    for (const name of known) names.delete(name);
    for (const name of names) {
      const made: Promise<unknown> = Reflect.apply(Reflect.get(client[of], method), undefined, [{ [name]: 1 }]);
      const { rawMessage } = await made.then(() => new ConnectError("was not refused"), ConnectError.from);
      const { json } = await latchkey.call(`/api/v1${path}`, { [name]: 1 }, headers);
      expect(rawMessage).toMatch(new RegExp(`^${name}: is unknown`));
      expect(hintOf(rawMessage, input), name).toEqual(hintOf(json.message, input));
    }
  });
});
