import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useMutation } from "@connectrpc/connect-query";
import { useState } from "react";
import { type ApiKey, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import { type ExpiryDraft, ExpiryField, expiryOf, NEVER } from "./expiry-field.tsx";
import { useKeysChanged } from "./keys-changed.ts";
import { draftOf, LimitFields, limitOf } from "./limit-fields.tsx";
import { ScopePicker } from "./scope-picker.tsx";

const MINUTE_MS = 60_000;

/** Changes what was changed, and nothing else: the mask names these fields alone. */
export function EditKeyDialog({ apiKey: key, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const before = { limit: draftOf(key.rateLimit), expiry: expiryDraftOf(key) };
  const [name, setName] = useState(key.name);
  const [description, setDescription] = useState(key.description);
  const [permissions, setPermissions] = useState<readonly string[]>(key.permissions);
  const [limitDraft, setLimit] = useState(before.limit);
  const [expiryDraft, setExpiry] = useState(before.expiry);
  const keysChanged = useKeysChanged();
  const onSuccess = async (): Promise<void> => {
    await keysChanged();
    onClose();
  };
  const { mutate, error, isPending } = useMutation(ApiKeyService.method.updateApiKey, { onSuccess });
  const rateLimit = limitOf(limitDraft);
  const expiry = expiryOf(expiryDraft, new Date());
  const differs = (one: object, other: object) => JSON.stringify(one) !== JSON.stringify(other);
  const mask = [
    name !== key.name && "name",
    description !== key.description && "description",
    differs(permissions, key.permissions) && "permissions",
    differs(limitDraft, before.limit) && "rate_limit",
    differs(expiryDraft, before.expiry) && "expires_at",
  ].filter((field) => field !== false);
  const isExpiryWrong = mask.includes("expires_at") && expiry === undefined;
  const isComplete = name.trim() !== "" && permissions.length > 0 && rateLimit !== undefined && !isExpiryWrong;

  const save = (): void =>
    mutate({
      keyId: key.keyId,
      updateMask: mask.join(","),
      name,
      description,
      permissions: [...permissions],
      ...(rateLimit && { rateLimit }),
      ...(expiry && { expiresAt: timestampFromDate(expiry) }),
    });

  return (
    <Dialog title={`Edit ${key.name}`} open onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && mask.length > 0) save();
        }}
      >
        <Field label="Name" value={name} onChange={setName} maxLength={128} />
        <Field label="Description" value={description} onChange={setDescription} maxLength={1_024} />
        <ScopePicker
          chosen={permissions}
          onChange={setPermissions}
          isPublishable={key.keyType === KeyType.PUBLISHABLE}
        />
        <LimitFields draft={limitDraft} onChange={setLimit} />
        <ExpiryField draft={expiryDraft} onChange={setExpiry} />
        {error !== null && <Problem error={error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" disabled={!isComplete || mask.length === 0} busy={isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** In the reader's time zone, to the minute, as the browser's control has it. */
function expiryDraftOf({ expiresAt }: ApiKey): ExpiryDraft {
  if (expiresAt === undefined) return NEVER;
  const date = timestampDate(expiresAt);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS);
  return { kind: "at", at: local.toISOString().slice(0, 16) };
}
