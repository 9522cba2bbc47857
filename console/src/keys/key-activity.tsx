import { useQuery } from "@connectrpc/connect-query";
import { Link } from "wouter";
import { AuditService } from "../../../clients/typescript/src/gen/latchkey/v1/audit_service_pb.ts";
import { EventReaderProvider, useMemberReader } from "../audit/event-reader.tsx";
import { Sentence } from "../audit/sentence.tsx";
import { Card } from "../ui/card.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Time } from "../ui/time.tsx";

const SHOWN = 5;

/** What was done to a key, the latest first. The card of a page. */
export function KeyActivity({ keyId }: { keyId: string }) {
  const query = useQuery(AuditService.method.listAuditEvents, { targetId: keyId, perPage: SHOWN });
  const reader = useMemberReader(query.data?.events);
  return (
    <Card title="Activity" actions={<Link href={`/activity?target=${encodeURIComponent(keyId)}`}>All activity</Link>}>
      <Loaded query={query} what="the activity">
        {({ events }) =>
          events.length === 0 ? (
            <p className="quiet">Nothing is recorded.</p>
          ) : (
            <EventReaderProvider reader={reader}>
              <ol className="key-activity">
                {events.map((event) => (
                  <li key={event.eventId}>
                    <span>
                      <Sentence event={event} />
                    </span>
                    <span className="quiet small">
                      <Time at={event.at} />
                    </span>
                  </li>
                ))}
              </ol>
            </EventReaderProvider>
          )
        }
      </Loaded>
    </Card>
  );
}
