import { useQuery } from "@connectrpc/connect-query";
import { Link } from "wouter";
import { RequestService } from "../../../clients/typescript/src/gen/latchkey/v1/request_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Stale } from "../ui/loaded.tsx";
import { Loading, Problem } from "../ui/states.tsx";
import { RequestTable } from "./request-table.tsx";

const SHOWN = 10;
const REFRESH_MS = 10_000;

/** The newest requests with one key, and the way to the others. A section of the key's page; nothing for who may not see them. */
export function RecentRequests({ keyId }: { keyId: string }) {
  const { may } = useCaller();
  const isAllowed = may("usage:read");
  const { data, error, refetch } = useQuery(
    RequestService.method.listRequests,
    { keyId, perPage: SHOWN },
    { enabled: isAllowed, refetchInterval: REFRESH_MS },
  );
  if (!isAllowed) return null;
  return (
    <section className="card" aria-labelledby="recent-requests">
      <div className="heading">
        <h2 id="recent-requests">Recent requests</h2>
        <Link href={`/requests?key=${encodeURIComponent(keyId)}`}>All requests of this key</Link>
      </div>
      {data === undefined && error === null && <Loading what="requests" />}
      {data === undefined && error !== null && <Problem error={error} retry={refetch} />}
      {data !== undefined && <Stale error={error} retry={refetch} />}
      {data?.requests.length === 0 && (
        <p className="quiet">None in the last days. Each denial is kept here, and a sample of the others.</p>
      )}
      {data !== undefined && data.requests.length > 0 && <RequestTable requests={data.requests} isOfOneKey />}
    </section>
  );
}
