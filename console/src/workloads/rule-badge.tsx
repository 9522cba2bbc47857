import {
  type FederationRule,
  FederationRuleStatus,
} from "../../../clients/typescript/src/gen/latchkey/v1/federation_pb.ts";
import { Badge } from "../ui/badge.tsx";

export function RuleBadge({ rule: { status } }: { rule: FederationRule }) {
  if (status === FederationRuleStatus.ENABLED) return <Badge tone="good">Enabled</Badge>;
  return <Badge tone="bad">Disabled</Badge>;
}
