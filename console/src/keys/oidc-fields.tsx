import { Field } from "../ui/field.tsx";
import type { OidcDraft } from "./oidc-draft.ts";
import { TokenCheck } from "./token-check.tsx";

/** How the user's token of a publishable key is verified. The service checks it while it is typed. */
export function OidcFields({ draft, onChange }: { draft: OidcDraft; onChange: (draft: OidcDraft) => void }) {
  const change = (member: keyof OidcDraft) => (text: string) => onChange({ ...draft, [member]: text });
  return (
    <fieldset>
      <legend>Your users' tokens</legend>
      <div className="form">
        <p className="hint">
          Calls with a publishable key bring the JWT of your own user. Say who issues it, so that tokens of others are
          refused.
        </p>
        <div className="columns">
          <Field
            label="Issuer"
            hint="The exact value of iss in a token."
            value={draft.issuer}
            onChange={change("issuer")}
            placeholder="https://login.example.com"
          />
          <Field
            label="Audience"
            hint="The value that aud must be or contain."
            value={draft.audience}
            onChange={change("audience")}
          />
          <Field
            label="Key set URL"
            hint="Empty: found from the issuer's metadata."
            type="url"
            value={draft.jwksUrl}
            onChange={change("jwksUrl")}
            placeholder="https://login.example.com/jwks.json"
          />
          <Field
            label="Claim with the user's id"
            hint="Empty: sub."
            value={draft.userIdClaim}
            onChange={change("userIdClaim")}
          />
          <Field
            label="Prefix of user ids"
            hint="Put before each user's id, so that users of two issuers are never the same. Empty: none."
            value={draft.userIdPrefix}
            onChange={change("userIdPrefix")}
            maxLength={64}
            placeholder="app:"
          />
        </div>
        <TokenCheck draft={draft} />
      </div>
    </fieldset>
  );
}
