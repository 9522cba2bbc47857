import { createClient } from "@connectrpc/connect";
import { useTransport } from "@connectrpc/connect-query";
import { useState } from "react";
import type { AuditEvent } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import { AuditService } from "../../../clients/typescript/src/gen/latchkey/v1/audit_service_pb.ts";
import { failureOf } from "../api/failure.ts";
import { Button } from "../ui/button.tsx";
import { Download } from "../ui/icons.tsx";
import { csvOf } from "./csv.ts";
import type { EventFilters } from "./event-filters.ts";
import { useEventReader } from "./event-reader.tsx";
import { eventRows } from "./event-rows.ts";

const PER_PAGE = 100;
/** Of one file; older ones are exported by a filter for earlier days. */
const EVENTS_MAX = 5_000;

/** Saves the events that match the filters as a file for programs for tables, the newest first. */
export function ExportEvents({ request }: Pick<EventFilters, "request">) {
  const transport = useTransport();
  const reader = useEventReader();
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState("");

  async function load(): Promise<AuditEvent[]> {
    const { listAuditEvents } = createClient(AuditService, transport);
    const events: AuditEvent[] = [];
    let pageToken = "";
    do {
      const page = await listAuditEvents({ ...request, pageToken, perPage: PER_PAGE });
      events.push(...page.events);
      pageToken = page.nextPageToken;
    } while (pageToken !== "" && events.length < EVENTS_MAX);
    setSaid(pageToken === "" ? "" : `The newest ${EVENTS_MAX.toLocaleString("en")} were exported.`);
    return events;
  }

  async function save(): Promise<void> {
    setBusy(true);
    try {
      download(csvOf(eventRows(await load(), reader)));
    } catch (err) {
      setSaid(failureOf(err).message);
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <span role="status" className="quiet small">
        {said}
      </span>
      <Button busy={isBusy} onClick={() => void save()}>
        <Download />
        Export as CSV
      </Button>
    </>
  );
}

/** With the mark by which programs for tables know UTF-8. */
function download(csv: string): void {
  const url = URL.createObjectURL(new Blob(["\uFEFF", csv], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `activity-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
