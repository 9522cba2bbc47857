import { Caller, type Scope, type Tenant, type VerifyResponse } from "../../../clients/typescript/src/index.ts";
import type { Column } from "../output/column.ts";
import { instant, word, yesOrNo } from "../output/values.ts";

export const SCOPE: readonly Column<Scope>[] = [
  { name: "scope", text: ({ name }) => name },
  { name: "publishable", text: ({ publishable }) => yesOrNo(publishable) },
  { name: "description", text: ({ description }) => description, shrinks: true },
];

export const CALLER: readonly Column<VerifyResponse>[] = [
  { name: "caller", text: ({ caller }) => word(Caller, caller) },
  { name: "tenant_id", text: ({ tenantId }) => tenantId },
  { name: "key_id", text: ({ keyId }) => keyId },
  { name: "user_id", text: ({ userId }) => userId },
  { name: "permissions", text: ({ permissions }) => permissions.join(",") },
];

export const TENANT: readonly Column<Tenant>[] = [
  { name: "tenant_id", text: ({ tenantId }) => tenantId },
  { name: "name", text: ({ name }) => name, shrinks: true },
  { name: "key_count", text: ({ keyCount }) => String(keyCount) },
  { name: "suspended_at", text: ({ suspendedAt }) => instant(suspendedAt), tone: () => "bad" },
  { name: "suspension_reason", text: ({ suspensionReason }) => suspensionReason, shrinks: true },
];
