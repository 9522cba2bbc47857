import type { ApiKeyUsage, TopKey, UsageStep } from "../../../clients/typescript/src/index.ts";
import type { Column } from "../output/column.ts";
import { instant } from "../output/values.ts";

export const USAGE: readonly Column<ApiKeyUsage>[] = [
  { name: "total_verifications", text: ({ totalVerifications }) => String(totalVerifications) },
  { name: "successful_verifications", text: ({ successfulVerifications }) => String(successfulVerifications) },
  { name: "failed_verifications", text: ({ failedVerifications }) => String(failedVerifications) },
];

/** One hour or day. */
export const STEP: readonly Column<UsageStep>[] = [
  { name: "from", text: ({ from }) => instant(from) },
  { name: "successful", text: ({ successful }) => String(successful) },
  { name: "denied", text: ({ denied }) => reasons(denied), tone: () => "bad", shrinks: true },
];

export const TOP_KEY: readonly Column<TopKey>[] = [
  { name: "key_id", text: ({ keyId }) => keyId },
  { name: "name", text: ({ name }) => name, shrinks: true },
  { name: "total", text: ({ totalVerifications }) => String(totalVerifications) },
  { name: "successful", text: ({ successfulVerifications }) => String(successfulVerifications) },
  { name: "failed", text: ({ failedVerifications }) => String(failedVerifications) },
];

function reasons(denied: Readonly<Record<string, number>>): string {
  return Object.entries(denied)
    .map(([reason, count]) => `${reason}=${count}`)
    .join(",");
}
