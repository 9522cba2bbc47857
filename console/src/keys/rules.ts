import { useQuery } from "@connectrpc/connect-query";
import { KeyStatus } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import {
  type KeyPolicy,
  KeyPolicyService,
} from "../../../clients/typescript/src/gen/latchkey/v1/key_policy_service_pb.ts";
import { useCaller } from "../api/caller.tsx";

/** The tenant's rules for its keys. Undefined: not loaded, or the caller may not read them; the service holds them all the same. */
export function useRules(): KeyPolicy | undefined {
  const isAllowed = useCaller().may("api_keys:admin");
  const { data } = useQuery(KeyPolicyService.method.getKeyPolicy, {}, { enabled: isAllowed, retry: false });
  return data?.result;
}

/** How many usable keys the tenant has, and may have. */
export interface Room {
  readonly used: number;
  readonly max: number;
}

export function useRoom(): Room | undefined {
  const rules = useRules();
  const active = useCount(KeyStatus.ACTIVE, rules !== undefined);
  const disabled = useCount(KeyStatus.DISABLED, rules !== undefined);
  if (rules === undefined || active === undefined || disabled === undefined) return undefined;
  return { used: active + disabled, max: rules.maxKeys };
}

function useCount(status: KeyStatus, enabled: boolean): number | undefined {
  const { data } = useQuery(ApiKeyService.method.listApiKeys, { status, perPage: 1 }, { enabled });
  return data?.pagination?.total;
}

export function roomSentence({ used, max }: Room): string {
  return `${used.toLocaleString("en")} of ${max.toLocaleString("en")} keys`;
}
