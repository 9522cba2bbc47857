import { create, type DescMethod, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ApiKeyService } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { GatewayService } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import { OrgService } from "../../gen/latchkey/v1/org_service_pb.ts";
import { validateMessage } from "./validation.ts";

const { createApiKey, updateApiKey, rotateApiKey, listApiKeys } = ApiKeyService.method;
const KEY = { name: "k", permissions: ["*"] };
const CHANGE = { keyId: "key_1", updateMask: "name" };

function check<Method extends DescMethod>({ input }: Method, message: MessageInitShape<Method["input"]>) {
  return () => validateMessage(input, create(input, message));
}

/** Characters, not units of UTF-16. */
function text(length: number): string {
  return "😀".repeat(length);
}

describe("a bound that the domain leaves to the proto", () => {
  test.each([
    ["name", check(createApiKey, { ...KEY, name: text(129) })],
    ["name", check(updateApiKey, { ...CHANGE, name: text(129) })],
    ["name", check(OrgService.method.createOrg, { name: text(129) })],
    ["description", check(createApiKey, { ...KEY, description: text(1_025) })],
    ["description", check(updateApiKey, { ...CHANGE, description: text(1_025) })],
    ["rate_limit.requests_per_minute", check(createApiKey, { ...KEY, rateLimit: { requestsPerMinute: -1 } })],
    ["rate_limit.requests_per_hour", check(createApiKey, { ...KEY, rateLimit: { requestsPerHour: -1 } })],
    ["rate_limit.burst_size", check(createApiKey, { ...KEY, rateLimit: { burstSize: -1 } })],
    ["rate_limit.requests_per_minute", check(updateApiKey, { ...CHANGE, rateLimit: { requestsPerMinute: -1 } })],
    ["grace_period_hours", check(rotateApiKey, { keyId: "key_1", gracePeriodHours: -1 })],
    ["grace_period_hours", check(rotateApiKey, { keyId: "key_1", gracePeriodHours: 721 })],
    ["page", check(listApiKeys, { page: -1 })],
    ["per_page", check(listApiKeys, { perPage: -1 })],
    ["page", check(GatewayService.method.listThreads, { page: -1 })],
    ["per_page", check(GatewayService.method.listThreads, { perPage: -1 })],
  ])("of %s refuses what lies beyond it (%#)", (field, checked) => {
    expect(checked).toThrow(new RegExp(`^${field.replace(".", "\\.")}: must be `));
  });

  test.each([
    ["texts", check(createApiKey, { ...KEY, name: text(128), description: text(1_024) })],
    ["limits", check(createApiKey, { ...KEY, rateLimit: { requestsPerMinute: 0, burstSize: 2_147_483_647 } })],
    ["hours", check(rotateApiKey, { keyId: "key_1", gracePeriodHours: 720 })],
    ["pages", check(listApiKeys, { page: 0, perPage: 0 })],
  ])("lets %s through up to it", (_what, checked) => {
    expect(checked).not.toThrow();
  });
});
