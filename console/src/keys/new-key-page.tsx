import { useMutation, useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import type { ApiKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { useCreation } from "../api/creation.ts";
import "../styles/keys.css";
import { Banner } from "../ui/banner.tsx";
import { Choice } from "../ui/field.tsx";
import { useUnsaved } from "../ui/leave-guard.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { LostSecretDialog } from "../ui/lost-secret.tsx";
import { withoutAsking } from "../ui/navigation-guards.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { firstExpiry } from "./expiry-draft.ts";
import { IssuedKeyDialog } from "./issued-key.tsx";
import { draftLike, expiryRuleOf, type KeyDraft, missingOf, NEW_KEY, newKeyRequest } from "./key-draft.ts";
import { KeyForm } from "./key-form.tsx";
import { useKeysChanged } from "./keys-changed.ts";
import { hasLimit } from "./limit-draft.ts";
import { defaultSentence, type Limit, limitSentence } from "./limit-sentence.ts";
import { OidcFields } from "./oidc-fields.tsx";
import { roomSentence, useRoom, useRules } from "./rules.ts";

const TYPES = [
  { value: "secret", label: "Secret: for your backend" },
  { value: "publishable", label: "Publishable: for apps and pages" },
] as const;

/** The form for a new key, and its value once it is made. `like`: the key whose settings it begins with. */
export function NewKeyPage() {
  const [parameters] = useSearchParams();
  const like = parameters.get("like") ?? "";
  const query = useQuery(ApiKeyService.method.getApiKey, { keyId: like }, { enabled: like !== "" });
  if (like === "") return <NewKey />;
  return (
    <Loaded query={query} what="the key">
      {({ result }) => <NewKey key={like} {...(result && { like: result })} />}
    </Loaded>
  );
}

function NewKey({ like }: { like?: ApiKey }) {
  const [, navigate] = useLocation();
  const { settings } = useCaller();
  const keysChanged = useKeysChanged();
  const rules = useRules();
  const room = useRoom();
  const [typed, setTyped] = useState<Partial<KeyDraft>>({});
  const expiryRule = expiryRuleOf(rules);
  const fallback = settings.default_requests_per_minute;
  const draft = {
    ...(like ? draftLike(like) : NEW_KEY),
    expiry: firstExpiry(expiryRule, new Date()),
    ...typed,
  };
  const change = (changes: Partial<KeyDraft>): void => setTyped((before) => ({ ...before, ...changes }));
  const { make, data, error, isPending } = useCreation(ApiKeyService.method.createApiKey, { onSuccess: keysChanged });
  const revoke = useMutation(ApiKeyService.method.revokeApiKey, { onSuccess: () => create() });
  const create = (): void => make(newKeyRequest(draft, fallback, new Date()), draft);
  const issued = data?.result;
  const guard = useUnsaved(Object.keys(typed).length > 0 && data === undefined);
  const isFull = room !== undefined && room.used >= room.max;
  const isPublishable = draft.type === "publishable";
  const sentence = (limit: Limit): string => (hasLimit(limit) ? limitSentence(limit) : defaultSentence(fallback));
  return (
    <div className="form-page">
      <PageHeader title={like ? "Replace a key" : "Create a key"} back={{ href: "/keys", label: "Keys" }}>
        {room && <span className="quiet">{roomSentence(room)}</span>}
      </PageHeader>
      {isFull && (
        <Banner tone="warn" title="Your organization has as many keys as it may have">
          Revoke one that is not needed, or rotate a key without a time in which both work.
        </Banner>
      )}
      {like && (
        <p className="quiet">
          With the settings of <strong>{like.name}</strong>. That key is not changed: revoke it once the new one is in
          use.
        </p>
      )}
      <KeyForm
        draft={draft}
        change={change}
        rules={rules}
        expiryRule={expiryRule}
        limitSentence={sentence}
        basics={
          <>
            <Choice
              label="Type"
              value={draft.type}
              choices={TYPES}
              hint={
                isPublishable
                  ? "Safe to ship in an app. Calls must also carry the signed-in user's token."
                  : "For servers. Anyone who has it can call the API."
              }
              onChange={(type) => change({ type, permissions: [] })}
            />
            {isPublishable && <OidcFields draft={draft.oidc} onChange={(oidc) => change({ oidc })} />}
          </>
        }
        missing={missingOf(draft, rules, expiryRule, new Date())}
        note="The key is shown once, after you create it."
        error={error}
        send={{ label: "Create key", isBusy: isPending, isDisabled: isFull }}
        onSend={create}
        onCancel={() => withoutAsking(() => navigate("/keys"))}
      />
      {issued?.key === "" && (
        <LostSecretDialog
          made="key"
          lost="value"
          text="The lost key is revoked, and another one is made with the same settings."
          isBusy={revoke.isPending}
          error={revoke.error}
          onReplace={() => revoke.mutate({ keyId: issued.keyId })}
          onClose={() => navigate(`/keys/${issued.keyId}`)}
        />
      )}
      {issued && issued.key !== "" && (
        <IssuedKeyDialog
          issued={issued}
          isPublishable={isPublishable}
          warning={data?.warning}
          onDone={() => navigate(`/keys/${issued.keyId}`)}
        />
      )}
      {guard.question}
    </div>
  );
}
