import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Webhook } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_pb.ts";
import { WebhookService } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Choice } from "../ui/field.tsx";
import { Notice, Problem } from "../ui/states.tsx";
import { useRefreshWebhooks } from "./webhook-queries.ts";

const HOUR_MS = 3_600_000;
const PERIODS = [
  { value: "1", label: "The last hour" },
  { value: "24", label: "The last day" },
  { value: "168", label: "The last week" },
  { value: "720", label: "The last 30 days" },
] as const;
const WHICH = [
  { value: "failed", label: "Failed deliveries" },
  { value: "all", label: "Everything, also what was delivered" },
] as const;

/** Sends again what an endpoint has missed, or lost. */
export function RedeliverMissed({ webhook: { webhookId }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [hours, setHours] = useState<(typeof PERIODS)[number]["value"]>("24");
  const [which, setWhich] = useState<(typeof WHICH)[number]["value"]>("failed");
  const client = createClient(WebhookService, useTransport());
  const refresh = useRefreshWebhooks();
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async () => {
      const since = timestampFromDate(new Date(Date.now() - Number(hours) * HOUR_MS));
      let count = 0;
      let pageToken = "";
      do {
        const page = await client.redeliverWebhookEvents({
          webhookId,
          since,
          onlyFailed: which === "failed",
          pageToken,
        });
        count += page.redelivered;
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      return count;
    },
    onSuccess: () => void refresh(),
  });
  return (
    <Dialog title="Send again" open onClose={onClose}>
      <Choice label="Since" value={hours} choices={PERIODS} onChange={setHours} />
      <Choice label="Which events" value={which} choices={WHICH} onChange={setWhich} />
      {error !== null && <Problem error={error} />}
      {data !== undefined && (
        <Notice kind="good">{data === 1 ? "1 event is" : `${data} events are`} sent again.</Notice>
      )}
      <div className="actions">
        <Button onClick={onClose}>Close</Button>
        <Button look="main" busy={isPending} onClick={() => mutate()}>
          Send again
        </Button>
      </div>
    </Dialog>
  );
}
