import type { Message } from "@bufbuild/protobuf";
import { Option } from "commander";
import { UsageStepSchema, usageSteps } from "../../../clients/typescript/src/index.ts";
import { hasCredential } from "../connection.ts";
import { UsageError } from "../exit-status.ts";
import { columnsOf } from "./columns.ts";
import { present, type RpcRun } from "./present.ts";
import type { Rpc } from "./services.ts";

/** The properties of a command beyond its RPC. */
export interface Exception {
  /** Its help, where the first sentence of the RPC is about requests and responses. */
  readonly help?: string;
  /** Its words, where they are not the path's. */
  readonly words?: string;
  /** Its arguments and the members that they set, where they are not the required identifiers. */
  readonly args?: Readonly<Record<string, string>>;
  /** Members without an option. */
  readonly without?: readonly string[];
  /** Options that set no member. */
  readonly options?: readonly Option[];
  /** Of members that the request needs and that have an option. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Members beside those of the options, which win. */
  members?(run: RpcRun): object;
  /** The name of the RPC that is called instead. */
  redirect?(run: RpcRun): string | undefined;
  /** What to do with the secret. */
  readonly advice?: string;
  present?(run: RpcRun, rpc: Rpc, response: Message): void;
  /** Whether the response is a failure to the caller. */
  fails?(response: Message): boolean;
}

const ROWS = "its rows come from a file";
const CONVERSATION = "an application holds conversations, for its users";

/** The RPCs for which no command is made, and why. */
export const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  "ApiKeyService.ImportApiKeys": ROWS,
  "AuthService.Verify": "whoami and keys explain call it",
  "FederationService.CreateFederationRule": "federation create reads the rule from a file",
  "FederationService.UpdateFederationRule": "federation update reads the rule from a file",
  "GatewayService.GetConversationState": CONVERSATION,
  "GatewayService.ListThreads": CONVERSATION,
  "GatewayService.SendMessage": CONVERSATION,
  "LeakService.ReportLeakedKeys": "it takes no credentials, which commands need",
  "OperatorService.ExportKeys": "all its pages are one file",
  "OperatorService.ImportTenantKeys": ROWS,
  "OrgService.PreviewInvitation": "it is for a page that asks whether to accept",
  "WebhookService.RedeliverWebhookEvents": "webhooks redeliver calls it for each page",
};

const YES = new Option("--yes", "it cannot be undone").makeOptionMandatory();
const OF_TENANT = new Option(
  "--tenant <tenant_id>",
  "as the operator: make a key of this tenant, for example the first",
);

const NEW_KEY: Exception = { args: {}, members: keyMembers, advice: "Only its hash is stored." };
const USAGE: Exception = {
  help: "show how often a key was presented; with a period, by the hour or day",
  present: presentUsage,
};
const ERASURE: Exception = {
  options: [YES],
  present(run, rpc, response) {
    if (Reflect.get(response, "result")?.finished === false)
      run.note("It goes on in the background; run the command again to see how far.");
    present(run, rpc, response);
  },
};

export const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  "ApiKeyService.CreateApiKey": {
    ...NEW_KEY,
    options: [OF_TENANT],
    redirect: ({ options }) => (options.tenant === undefined ? undefined : "OperatorService.CreateTenantKey"),
  },
  "ApiKeyService.GetApiKeyUsage": USAGE,
  "ApiKeyService.CheckOidc": {
    help: "check a publishable key's identity provider, and a user's token by it; spends nothing",
    args: { "[key_id]": "key_id" },
  },
  "ApiKeyService.ListApiKeys": { help: "list keys: all of them, or those with all that is named" },
  "FederationService.CheckFederationAssertion": { fails: (response) => Reflect.get(response, "passed") !== true },
  "OperatorService.CreateTenantKey": NEW_KEY,
  "OperatorService.EraseTenant": { ...ERASURE, help: "remove all that is stored of a tenant, for ever" },
  "OperatorService.EraseUser": ERASURE,
  "OperatorService.ExplainAnyRequest": { words: "operator explain" },
  "OperatorService.CreateKeyFormat": { args: { "<key_format>": "key_format" } },
  "OperatorService.DeleteKeyFormat": { args: { "<key_format>": "key_format" } },
  "OperatorService.FindKeys": { args: { "[key_id]": "key_id" } },
  "OperatorService.GetTenantKeyUsage": USAGE,
  "OperatorService.ListKeyFormats": { without: ["page_token"] },
  "OrgService.CreateInvitation": { args: { "<email>": "email" }, advice: "Send the token to that person." },
  "OrgService.CreateOrg": {
    help: "create an organization, of which you are the owner",
    args: { "<name>": "name" },
  },
  "OrgService.SetMemberRole": { args: { "<user_id>": "user_id", "<role>": "role" } },
  "OrgService.UpdateOrg": { args: { "<name>": "name" } },
  "ScopeService.ListScopes": { words: "scopes", without: ["page_token"] },
  "TokenService.DeriveToken": {
    advice: "Everyone who has the token can use its permissions until it expires or is revoked.",
  },
  "UsageService.GetUsage": { words: "usage series" },
  "UsageService.ListTopKeys": { words: "usage top", without: ["page_token", "reason"] },
  "FederationService.ListFederationRules": { without: ["page_token"] },
  "WebhookService.CreateWebhook": {
    args: { "<endpoint>": "url" },
    defaults: { events: ["*"] },
    advice: "Keep the secret: it verifies what is sent.",
  },
  "WebhookService.ListWebhookDeliveries": {
    help: "list what was sent within 30 days, newest first; --json has the bodies, too",
    words: "webhooks deliveries",
    without: ["include_body"],
    members: ({ options }) => ({ includeBody: options.json === true }),
  },
  "WebhookService.ListWebhooks": { without: ["page_token"] },
  "WebhookService.RotateWebhookSecret": {
    help: "make a new secret; the old one signs, too, for 24 hours",
    advice: "Keep the secret: it verifies what is sent.",
  },
  "WebhookService.TestWebhook": {
    help: "send a test now, and show what came back",
    fails: (response) => Reflect.get(response, "result")?.delivered !== true,
  },
};

/** Checks the options of a new key. Its tenant is named where the operator makes it, also by `keys create`. */
function keyMembers({ options, env }: RpcRun): object {
  if (options.oidcFile !== undefined && options.type !== "publishable")
    throw new UsageError("--oidc-file is for --type publishable");
  if (options.tenant !== undefined) return { tenantId: options.tenant };
  if (!hasCredential("token", env, options) && hasCredential("operatorToken", env, options))
    throw new UsageError("The operator makes keys of any tenant: name it with --tenant");
  return {};
}

/** The counters or, where a period was named, each step of it. */
function presentUsage(run: RpcRun, rpc: Rpc, response: Message): void {
  const series: Parameters<typeof usageSteps>[0] | undefined = Reflect.get(response, "series");
  if (series === undefined) present(run, rpc, response);
  else run.list(response, usageSteps(series), columnsOf(UsageStepSchema));
}
