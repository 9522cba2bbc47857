import "../styles/tokens.css";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import type { AccessToken } from "../../../clients/typescript/src/gen/latchkey/v1/access_token_pb.ts";
import { type ApiKey, KeyStatus } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { TokenService } from "../../../clients/typescript/src/gen/latchkey/v1/token_service_pb.ts";
import { failureOf } from "../api/failure.ts";
import { TokenPages } from "../requests/token-pages.tsx";
import { Card } from "../ui/card.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Problem } from "../ui/states.tsx";
import { DeriveSnippet } from "./derive-snippet.tsx";
import { RevokeToken } from "./revoke-token.tsx";
import { TokenTable } from "./token-table.tsx";

const PER_PAGE = 10;
/** Ms between two loads: tokens come and end within minutes. */
const REFRESH_MS = 30_000;
/** The id of the section's heading, which has the focus after a token was revoked. */
const HEADING = "key-tokens";

/** The tokens that stand for a secret key now, and how to derive one. */
export function KeyTokens({ apiKey: { keyId, status } }: { apiKey: ApiKey }) {
  const [pageToken, setPageToken] = useState("");
  const [revoked, setRevoked] = useState<AccessToken>();
  const query = useQuery(
    TokenService.method.listTokens,
    { keyId, pageToken, perPage: PER_PAGE },
    { placeholderData: keepPreviousData, refetchInterval: REFRESH_MS },
  );
  return (
    <Card title="Tokens" titleId={HEADING}>
      <p className="hint">
        A token stands for this key for minutes, with less than the key. What denies the key denies its tokens.
      </p>
      <Loaded query={query} what="tokens" failed={(error) => <NoTokens error={error} retry={query.refetch} />}>
        {({ tokens, nextPageToken }) => (
          <>
            {tokens.length === 0 && <p className="quiet">No token stands for this key now.</p>}
            {tokens.length > 0 && (
              <div aria-busy={query.isPlaceholderData}>
                <TokenTable tokens={tokens} onRevoke={setRevoked} />
              </div>
            )}
            <TokenPages pageToken={pageToken} next={nextPageToken} onPage={setPageToken} />
            {status === KeyStatus.ACTIVE && <DeriveSnippet />}
          </>
        )}
      </Loaded>
      {revoked && <RevokeToken token={revoked} focusAfter={HEADING} onClose={() => setRevoked(undefined)} />}
    </Card>
  );
}

/** A service that issues no tokens has no problem: its own words say what to set. */
function NoTokens({ error, retry }: { error: Error; retry: () => void }) {
  const { reason, message } = failureOf(error);
  return reason === "tokens_not_configured" ? (
    <p className="quiet">{message}</p>
  ) : (
    <Problem error={error} retry={retry} />
  );
}
