import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import {
  ApiKeyService,
  type CheckOidcStep,
} from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { TextArea } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import { useSettled } from "../ui/use-settled.ts";
import { type OidcDraft, oidcOf } from "./oidc-draft.ts";

/** Ms after the last keystroke, before the service is asked. */
const PAUSE_MS = 500;

/**
 * Checks a configuration, or that of a key, and a pasted token by it, step by step. The token is sent only to the service,
 * which neither logs nor keeps it.
 */
export function TokenCheck({ draft, keyId }: { draft?: OidcDraft; keyId?: string }) {
  const [token, setToken] = useState("");
  const asked = useSettled(JSON.stringify({ oidc: draft && oidcOf(draft), token: token.trim() }), PAUSE_MS);
  // Written two lines above.
  const { oidc, token: pasted } = JSON.parse(asked) as { oidc?: NonNullable<ReturnType<typeof oidcOf>>; token: string };
  const { data, error, isPlaceholderData } = useQuery(
    ApiKeyService.method.checkOidc,
    { ...(keyId === undefined ? { oidc } : { keyId }), token: pasted },
    { enabled: keyId !== undefined || oidc !== undefined, placeholderData: keepPreviousData, retry: false },
  );
  return (
    <div className="form">
      <TextArea
        label="A token, to try it out"
        hint="Paste a token of a user. It is checked by the service, and neither logged nor kept."
        rows={3}
        value={token}
        onChange={setToken}
        placeholder="eyJ…"
      />
      <div aria-live="polite">
        {error !== null && <Problem error={error} />}
        {error === null && data !== undefined && (
          <ul className="steps" aria-label="Checks" aria-busy={isPlaceholderData}>
            {data.steps.map((step) => (
              <Step key={step.name} step={step} />
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function Step({ step: { name, passed, expected, found, detail } }: { step: CheckOidcStep }) {
  return (
    <li className="step">
      <span className={`badge badge-${passed ? "good" : "bad"}`}>{passed ? "Passed" : "Failed"}</span>
      <strong>{name.replaceAll("_", " ")}</strong>
      <span>{detail}</span>
      {!passed && expected !== "" && (
        <span className="quiet">
          Expected <code>{expected}</code>
          {found !== "" && (
            <>
              , found <code>{found}</code>
            </>
          )}
        </span>
      )}
    </li>
  );
}
