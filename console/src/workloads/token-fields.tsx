import { useQuery } from "@connectrpc/connect-query";
import { KeyStatus, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { ScopePicker } from "../keys/scope-picker.tsx";
import { choicesOf } from "../requests/choices.ts";
import { KeySearch } from "../requests/key-search.tsx";
import { Choice } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import type { RuleDraft } from "./rule-draft.ts";

/** As many as the service lists at once. */
const PER_PAGE = 100;
const USABLE = { keyType: KeyType.SECRET, status: KeyStatus.ACTIVE };

interface TokenFieldsProps {
  readonly draft: RuleDraft;
  readonly change: (changes: Partial<RuleDraft>) => void;
}

/** The key for which the tokens stand, and what they may do of what it may. */
export function TokenFields({ draft: { keyId, scopes }, change }: TokenFieldsProps) {
  const { data, error } = useQuery(ApiKeyService.method.getApiKey, { keyId }, { enabled: keyId !== "", retry: false });
  const key = data?.result;
  return (
    <>
      <KeyField value={keyId} onChange={(chosen) => change({ keyId: chosen, scopes: [] })} />
      {keyId !== "" && error !== null && <Problem error={error} />}
      {keyId !== "" && key !== undefined && (
        <ScopePicker
          of="tokens"
          chosen={scopes}
          onChange={(chosen) => change({ scopes: chosen })}
          isPublishable={false}
          allowed={key.permissions}
        />
      )}
    </>
  );
}

/** A choice by name; where a tenant has more keys than are loaded, a search. Not there before that is known: one would replace the other. */
function KeyField({ value, onChange }: { value: string; onChange: (keyId: string) => void }) {
  const { data, isPending } = useQuery(ApiKeyService.method.listApiKeys, { ...USABLE, perPage: PER_PAGE });
  if (isPending) return null;
  const keys = new Map(data?.keys.map(({ keyId, name }) => [keyId, name]));
  const hint = "A secret key of your organization. The tokens spend from its limit, and end with it.";
  if ((data?.pagination?.total ?? 0) > keys.size)
    return <KeySearch hint={hint} value={value} onChange={onChange} among={USABLE} />;
  const choices = [...(value === "" ? [{ value: "", label: "Choose a key" }] : []), ...choicesOf(keys)];
  if (value !== "" && !keys.has(value)) choices.push({ value, label: value });
  return <Choice label="Key" hint={hint} value={value} choices={choices} onChange={onChange} />;
}
