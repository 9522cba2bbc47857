import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useMutation } from "@connectrpc/connect-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import "../styles/keys.css";
import { Button } from "../ui/button.tsx";
import { Choice, Field } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import { ExpiryField, expiryOf, NEVER } from "./expiry-field.tsx";
import { IssuedKeyDialog } from "./issued-key.tsx";
import { useKeysChanged } from "./keys-changed.ts";
import { LimitFields, limitOf, NO_LIMIT } from "./limit-fields.tsx";
import { NO_OIDC, oidcOf } from "./oidc-draft.ts";
import { OidcFields } from "./oidc-fields.tsx";
import { ScopePicker } from "./scope-picker.tsx";

const TYPES = [
  { value: "secret", label: "Secret: for your backend" },
  { value: "publishable", label: "Publishable: for apps and pages" },
] as const;

/** The form for a new key, and its value once it is made. */
export function NewKeyPage() {
  const [, navigate] = useLocation();
  const keysChanged = useKeysChanged();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [type, setType] = useState<"secret" | "publishable">("secret");
  const [permissions, setPermissions] = useState<readonly string[]>([]);
  const [limitDraft, setLimit] = useState(NO_LIMIT);
  const [expiryDraft, setExpiry] = useState(NEVER);
  const [oidcDraft, setOidc] = useState(NO_OIDC);
  const { mutate, data, error, isPending } = useMutation(ApiKeyService.method.createApiKey, { onSuccess: keysChanged });
  const isPublishable = type === "publishable";
  const rateLimit = limitOf(limitDraft);
  const expiry = expiryOf(expiryDraft, new Date());
  const oidc = oidcOf(oidcDraft);
  const missing = [
    name.trim() === "" && "a name",
    permissions.length === 0 && "at least one scope",
    rateLimit === undefined && "a valid limit",
    expiry === undefined && "a valid expiry",
    isPublishable && oidc === undefined && "issuer and audience",
  ].filter((lack) => lack !== false);

  const create = (): void =>
    mutate({
      name,
      description,
      keyType: isPublishable ? KeyType.PUBLISHABLE : KeyType.SECRET,
      permissions: [...permissions],
      // Absent rather than zeros: the operator's default for new keys is then used.
      ...(rateLimit && Object.values(rateLimit).some((count) => count > 0) && { rateLimit }),
      ...(expiry && { expiresAt: timestampFromDate(expiry) }),
      ...(isPublishable && oidc && { publishableConfig: { oidc } }),
    });

  return (
    <>
      <h1>Create a key</h1>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (missing.length === 0) create();
        }}
      >
        <div className="columns">
          <Field
            label="Name"
            hint="To find it again: 1 to 128 characters."
            value={name}
            onChange={setName}
            maxLength={128}
          />
          <Field label="Description" value={description} onChange={setDescription} maxLength={1_024} />
          <Choice
            label="Type"
            value={type}
            choices={TYPES}
            hint={
              isPublishable
                ? "Safe to ship in an app. Each call brings your user's token, too."
                : "Keep it secret. It authenticates alone."
            }
            onChange={(chosen) => {
              setType(chosen);
              setPermissions([]);
            }}
          />
        </div>
        {isPublishable && <OidcFields draft={oidcDraft} onChange={setOidc} />}
        <ScopePicker chosen={permissions} onChange={setPermissions} isPublishable={isPublishable} />
        <LimitFields draft={limitDraft} onChange={setLimit} />
        <ExpiryField draft={expiryDraft} onChange={setExpiry} />
        {error !== null && <Problem error={error} />}
        <div className="actions">
          {missing.length > 0 && <p className="hint">Still needed: {missing.join(", ")}.</p>}
          <Button onClick={() => navigate("/keys")}>Cancel</Button>
          <Button look="main" type="submit" disabled={missing.length > 0} busy={isPending}>
            Create key
          </Button>
        </div>
      </form>
      {data?.result && (
        <IssuedKeyDialog
          issued={data.result}
          warning={data.warning}
          onDone={() => navigate(`/keys/${data.result?.keyId}`)}
        />
      )}
    </>
  );
}
