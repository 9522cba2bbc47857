import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { Fragment, type ReactNode } from "react";
import { Link } from "wouter";
import type { ExplanationStep } from "../../../clients/typescript/src/gen/latchkey/v1/auth_service_pb.ts";
import type {
  RequestExplanation as Explained,
  RecentRequest,
} from "../../../clients/typescript/src/gen/latchkey/v1/request_pb.ts";
import { RequestService } from "../../../clients/typescript/src/gen/latchkey/v1/request_service_pb.ts";
import { CopyId } from "../ui/copy-id.tsx";
import { Loading, Problem } from "../ui/states.tsx";
import { exactly } from "../ui/time.tsx";

const CHECKS: Readonly<Record<string, string>> = {
  path: "Path",
  credentials: "Credentials",
  key: "Key",
  status: "Status",
  source: "Source",
  oidc: "User's token",
  rate_limit: "Rate limit",
  scope: "Scope",
  storage: "Storage",
};

/** Which check denied a request, and what to do; then everything that is kept of it. */
export function RequestExplanation({ request }: { request: RecentRequest }) {
  const { requestId } = request;
  const { data, error, refetch } = useQuery(RequestService.method.explainRequest, { requestId });
  const explanation = data?.result;
  if (explanation === undefined) {
    return error === null ? <Loading what="the explanation" /> : <Problem error={error} retry={refetch} />;
  }
  // Clients may choose ids, and of several requests with one the service explains the newest.
  const isOfAnother = !isSameTime(explanation.request, request);
  return (
    <div className="request-details">
      {isOfAnother ? (
        <p className="hint">Several requests have this id, and the explanation is of a newer one.</p>
      ) : (
        <Reasons explanation={explanation} />
      )}
      <Facts request={request} />
    </div>
  );
}

function isSameTime(a: RecentRequest | undefined, b: RecentRequest): boolean {
  return a?.at?.seconds === b.at?.seconds && a?.at?.nanos === b.at?.nanos;
}

function Reasons({ explanation }: { readonly explanation: Explained }) {
  const { request, allowed, steps, remedy, documentation } = explanation;
  return (
    <>
      <div className="request-why">
        {allowed ? <p>Every check passed.</p> : <p>{request?.message || steps.at(-1)?.detail}</p>}
        {remedy !== "" && (
          <p>
            <strong>What to do:</strong> {remedy}{" "}
            {documentation !== "" && (
              <a href={documentation} target="_blank" rel="noreferrer">
                More on this error
              </a>
            )}
          </p>
        )}
      </div>
      <ol className="checks" aria-label="Checks, in their order">
        {steps.map((step) => (
          <Check key={step.name} step={step} />
        ))}
      </ol>
    </>
  );
}

function Check({ step: { name, passed, detail } }: { step: ExplanationStep }) {
  return (
    <li className={passed ? "check-passed" : "check-failed"} title={detail}>
      <span aria-hidden="true">{passed ? "✓" : "✕"}</span> {CHECKS[name] ?? name}
      <span className="hidden">{passed ? ": passed" : ": failed"}</span>
    </li>
  );
}

function Facts({ request }: { request: RecentRequest }) {
  const { requestId, at, caller, keyId, tokenId, userId, address, rpc, scope, reason } = request;
  const time = at && timestampDate(at);
  const facts: Readonly<Record<string, ReactNode>> = {
    Time: time && `${exactly(time)} (${time.toISOString()})`,
    Caller: caller?.replaceAll("_", " "),
    Key: keyId && (
      <Link href={`/keys/${keyId}`}>
        <code>{keyId}</code>
      </Link>
    ),
    Token: tokenId && <TokenId tokenId={tokenId} />,
    User: userId && <code>{userId}</code>,
    Address: address && <code>{address}</code>,
    RPC: rpc && <code>{rpc}</code>,
    Scope: scope && <code>{scope}</code>,
    Reason: reason && <code>{reason}</code>,
    "Request id": <CopyId text={requestId} name="request id" />,
  };
  return (
    <dl className="facts">
      {Object.entries(facts).map(
        ([name, fact]) =>
          fact && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}

/** The token of Latchkey's that was sent in place of the key. */
function TokenId({ tokenId }: { tokenId: string }) {
  return (
    <>
      <code>{tokenId}</code> <Link href={`/requests?token=${encodeURIComponent(tokenId)}`}>Only this token</Link>
    </>
  );
}
