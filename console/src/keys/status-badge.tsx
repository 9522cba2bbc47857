import { KeyStatus, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";

const UNKNOWN = { name: "Unknown", look: "quiet" };
const STATUSES: Partial<Record<KeyStatus, { readonly name: string; readonly look: string }>> = {
  [KeyStatus.ACTIVE]: { name: "Active", look: "good" },
  [KeyStatus.EXPIRED]: { name: "Expired", look: "quiet" },
  [KeyStatus.DISABLED]: { name: "Disabled", look: "warn" },
  [KeyStatus.REVOKED]: { name: "Revoked", look: "bad" },
};

export function StatusBadge({ status }: { status: KeyStatus }) {
  const { name, look } = STATUSES[status] ?? UNKNOWN;
  return <span className={`badge badge-${look}`}>{name}</span>;
}

export function typeName(type: KeyType): string {
  return type === KeyType.PUBLISHABLE ? "Publishable" : "Secret";
}
