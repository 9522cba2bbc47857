import "../styles/audit.css";
import "../styles/disclosure.css";
import { useQuery } from "@connectrpc/connect-query";
import { Link, useLocation } from "wouter";
import { AuditService } from "../../../clients/typescript/src/gen/latchkey/v1/audit_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Card } from "../ui/card.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { EventReaderProvider, useMemberReader } from "./event-reader.tsx";
import { Events } from "./events.tsx";

const SHOWN = 5;

/** The newest changes of one key, and the way to the others. A section of the key's page; nothing without `audit:read`. */
export function KeyActivity({ keyId }: { keyId: string }) {
  const { may } = useCaller();
  const isAllowed = may("audit:read");
  const reader = useMemberReader();
  const [, navigate] = useLocation();
  const query = useQuery(
    AuditService.method.listAuditEvents,
    { targetId: keyId, perPage: SHOWN },
    { enabled: isAllowed },
  );
  if (!isAllowed) return null;
  const target = `target=${encodeURIComponent(keyId)}`;
  const values = { action: "", actor: "", target: keyId, request: "", from: "", to: "" };
  return (
    <Card title="Activity" actions={<Link href={`/activity?${target}`}>All activity of this key</Link>}>
      <Loaded query={query} what="the activity">
        {({ events }) =>
          events.length === 0 ? (
            <p className="quiet">No change is kept.</p>
          ) : (
            <EventReaderProvider reader={reader}>
              <Events
                events={events}
                values={values}
                onFilter={(filter) => navigate(`/activity?${new URLSearchParams(filter)}`)}
              />
            </EventReaderProvider>
          )
        }
      </Loaded>
    </Card>
  );
}
