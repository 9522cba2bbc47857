import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Link } from "wouter";
import type { AccessToken } from "../../../clients/typescript/src/gen/latchkey/v1/access_token_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Chips } from "../ui/chip.tsx";
import { CopyId } from "../ui/copy-id.tsx";
import { useNow } from "../ui/now.ts";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Time } from "../ui/time.tsx";

const SHOWN_CHARS = 12;
const SCOPES_SHOWN = 2;

interface TokenTableProps {
  readonly tokens: readonly AccessToken[];
  readonly onRevoke: (token: AccessToken) => void;
}

/** A row for each token. */
export function TokenTable({ tokens, onRevoke }: TokenTableProps) {
  const { may } = useCaller();
  return (
    <ScrollRegion label="Table of tokens" className="token-table">
      <table className="stacked" aria-label="Tokens">
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Acts for</th>
            <th scope="col">Scopes</th>
            <th scope="col">Expires</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <Row key={token.tokenId} token={token} onRevoke={may("api_keys:write") ? onRevoke : undefined} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

interface RowProps {
  readonly token: AccessToken;
  /** Undefined: the user may not. */
  readonly onRevoke: ((token: AccessToken) => void) | undefined;
}

function Row({ token, onRevoke }: RowProps) {
  const { tokenId, userId, scopes, expiresAt, revokedAt, createdAt } = token;
  const now = useNow();
  const isOver = expiresAt !== undefined && timestampDate(expiresAt) <= now;
  return (
    <tr>
      <th scope="row">
        <span title={tokenId}>
          <CopyId text={tokenId} name={`token id ${tokenId}`} shown={`${tokenId.slice(0, SHOWN_CHARS)}…`} />
        </span>
        <Origin token={token} />
      </th>
      <td data-label="Acts for">
        {userId ? (
          <code>
            <bdi>{userId}</bdi>
          </code>
        ) : (
          <span className="quiet">none</span>
        )}
      </td>
      <td data-label="Scopes">
        <Chips values={scopes} shown={Math.min(scopes.length, SCOPES_SHOWN)} />
      </td>
      <td data-label="Expires">
        <span>
          {revokedAt === undefined ? (
            <Time at={expiresAt} />
          ) : (
            <>
              <Badge tone="bad">Revoked</Badge> <Time at={revokedAt} />
            </>
          )}
          <span className="block quiet small">
            issued <Time at={createdAt} />
          </span>
        </span>
      </td>
      <td className="row-actions">
        {onRevoke && revokedAt === undefined && !isOver && (
          <Button look="danger" aria-label={`Revoke ${tokenId}`} onClick={() => onRevoke(token)}>
            Revoke
          </Button>
        )}
      </td>
    </tr>
  );
}

/** Where a token comes from and who can use it, where that is not its key and anyone who has it; and what was done with it. */
function Origin({ token: { tokenId, ruleId, confirmationJkt } }: { token: AccessToken }) {
  const { may } = useCaller();
  return (
    <span className="token-origin small">
      {ruleId && <RuleName ruleId={ruleId} />}
      {confirmationJkt && <span>Bound to a DPoP key</span>}
      {may("usage:read") && (
        <Link href={`/requests?token=${encodeURIComponent(tokenId)}`} aria-label={`Requests with ${tokenId}`}>
          Requests
        </Link>
      )}
    </span>
  );
}

function RuleName({ ruleId }: { ruleId: string }) {
  const { may } = useCaller();
  const text = "By a rule for workloads";
  return may("api_keys:admin") ? <Link href={`/workloads/${ruleId}`}>{text}</Link> : <span>{text}</span>;
}
