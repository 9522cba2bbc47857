import { useQuery } from "@connectrpc/connect-query";
import { Link, useParams } from "wouter";
import { KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import "../styles/keys.css";
import { Loading, Problem } from "../ui/states.tsx";
import { KeyUsage } from "../usage/key-usage.tsx";
import { Explanation } from "./explanation.tsx";
import { KeyActions } from "./key-actions.tsx";
import { KeyFacts } from "./key-facts.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { TokenCheck } from "./token-check.tsx";

/** One key: what it is, what it may do, how it is used, and what can be done with it. */
export function KeyPage() {
  const { keyId = "" } = useParams();
  const { data, error, refetch } = useQuery(ApiKeyService.method.getApiKey, { keyId });
  if (error !== null) return <Problem error={error} retry={refetch} />;
  const key = data?.result;
  if (key === undefined) return <Loading what="the key" />;
  const isPublishable = key.keyType === KeyType.PUBLISHABLE;
  return (
    <>
      <nav aria-label="Breadcrumb">
        <Link href="/keys">Keys</Link>
      </nav>
      <div className="heading">
        <h1>{key.name}</h1>
        <StatusBadge status={key.status} />
      </div>
      <KeyActions apiKey={key} />
      <section className="card" aria-labelledby="about">
        <h2 id="about">About this key</h2>
        <KeyFacts apiKey={key} />
      </section>
      <KeyUsage keyId={key.keyId} />
      <Explanation keyId={key.keyId} />
      {isPublishable && key.publishableConfig?.oidc !== undefined && (
        <section className="card" aria-labelledby="token">
          <h2 id="token">Try a user's token</h2>
          <TokenCheck keyId={key.keyId} />
        </section>
      )}
    </>
  );
}
