import { useQuery } from "@connectrpc/connect-query";
import { useEffect, useId, useState } from "react";
import type { ListApiKeysRequest } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { withoutSecret } from "../keys/key-text.ts";
import { Field } from "../ui/field.tsx";
import { useSettled } from "../ui/use-settled.ts";
import { choicesOf } from "./choices.ts";
import { useKeyNames } from "./key-names.ts";

const PAUSE_MS = 250;
const SHOWN = 20;

interface KeySearchProps {
  readonly hint?: string;
  /** The chosen key; empty: none. */
  readonly value: string;
  readonly onChange: (keyId: string) => void;
  /** Which keys can be chosen. */
  readonly among?: Partial<Pick<ListApiKeysRequest, "keyType" | "status">>;
}

/** A key by its name or its id, where a tenant has more of them than a list can show: the service searches. */
export function KeySearch({ hint, value, onChange, among }: KeySearchProps) {
  const list = useId();
  const { byId } = useKeyNames([value]);
  const [typed, setTyped] = useState<string>();
  const search = useSettled(withoutSecret(typed ?? ""), PAUSE_MS);
  const { data } = useQuery(
    ApiKeyService.method.listApiKeys,
    { ...among, search, perPage: SHOWN },
    { enabled: typed !== undefined },
  );
  const choices = choicesOf(new Map(data?.keys.map(({ keyId, name }) => [keyId, name])));
  const chosen = choices.find((choice) => choice.label === typed || choice.value === typed)?.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed, once it is one of the choices, is chosen once
  useEffect(() => {
    if (chosen === undefined) return;
    onChange(chosen);
    setTyped(undefined);
  }, [chosen]);
  const change = (text: string): void => {
    setTyped(text);
    if (text === "") onChange("");
  };
  return (
    <>
      <Field
        label="Key"
        hint={hint}
        placeholder="Name or id"
        autoComplete="off"
        spellCheck={false}
        list={list}
        value={typed ?? byId.get(value) ?? value}
        onChange={change}
      />
      <datalist id={list}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.label} />
        ))}
      </datalist>
    </>
  );
}
