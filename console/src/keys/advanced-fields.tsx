import type { KeyPolicy } from "../../../clients/typescript/src/gen/latchkey/v1/key_policy_service_pb.ts";
import { Field, TextArea } from "../ui/field.tsx";
import { type KeyDraft, linesOf, metadataOf } from "./key-draft.ts";
import { hasLimit } from "./limit-draft.ts";
import { LimitFields } from "./limit-fields.tsx";
import { type Limit, userLimitSentence } from "./limit-sentence.ts";

interface AdvancedFieldsProps {
  readonly draft: KeyDraft;
  readonly change: (changes: Partial<KeyDraft>) => void;
  readonly rules: KeyPolicy | undefined;
}

/** From where a key may be used, the limit of each user, and what the tenant keeps with it. */
export function AdvancedFields({ draft, change, rules }: AdvancedFieldsProps) {
  const isPublishable = draft.type === "publishable";
  const needsIps = rules?.allowedIpsRequired === true;
  return (
    <div className="form">
      <TextArea
        label="Allowed addresses"
        hint={`IP addresses and ranges such as 203.0.113.0/24, one a line. ${
          needsIps ? "Your organization's rules require at least one." : "Empty: from any address."
        }`}
        problem={needsIps && linesOf(draft.ips).length === 0 ? "At least one address is needed." : undefined}
        rows={2}
        value={draft.ips}
        onChange={(ips) => change({ ips })}
      />
      {isPublishable ? (
        <TextArea
          label="Allowed origins"
          hint="Web pages such as https://app.example.com, one a line. Empty: from any page, and from apps."
          rows={2}
          value={draft.origins}
          onChange={(origins) => change({ origins })}
        />
      ) : (
        <label className="check">
          <input
            type="checkbox"
            checked={draft.allowBrowser}
            onChange={({ currentTarget }) => change({ allowBrowser: currentTarget.checked })}
          />
          <span>Allow it in browsers</span>
          <span className="hint">For tools in a page. A secret key must not be in a page that others open.</span>
        </label>
      )}
      <LimitFields
        title="Requests of each user"
        draft={draft.userLimit}
        onChange={(userLimit) => change({ userLimit })}
        sentence={userSentence}
        most={rules?.maxRateLimit?.perUser}
      />
      <Field
        label="Your id"
        hint="Of what the key belongs to, such as a customer. The list finds keys by it."
        value={draft.externalId}
        onChange={(externalId) => change({ externalId })}
        maxLength={256}
        autoComplete="off"
      />
      <TextArea
        label="Metadata"
        hint={'A JSON object such as {"plan": "pro"}. Requests with the key can read it: put no secret into it.'}
        problem={metadataOf(draft.metadata) === undefined ? "Must be a JSON object." : undefined}
        rows={3}
        value={draft.metadata}
        onChange={(metadata) => change({ metadata })}
      />
    </div>
  );
}

function userSentence(limit: Limit): string {
  return hasLimit(limit) ? userLimitSentence(limit) : "Users have no limit of their own.";
}
