import { useMutation } from "@connectrpc/connect-query";
import { WebhookService } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_service_pb.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ALL } from "./event-types.ts";
import { SecretDialog } from "./secret.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { useRefreshWebhooks } from "./webhook-queries.ts";

const EMPTY = { url: "", description: "", events: [ALL] };

/** Adds an endpoint, and shows its secret once. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const refresh = useRefreshWebhooks();
  const { mutate, isPending, error, data } = useMutation(WebhookService.method.createWebhook, {
    // Not awaited: the secret is there, and the list behind it may take its time.
    onSuccess: () => void refresh(),
  });
  if (data !== undefined) return <SecretDialog secret={data.secret} onDone={onClose} />;
  return (
    <Dialog title="Add an endpoint" open onClose={onClose}>
      <WebhookForm
        initial={EMPTY}
        action="Add endpoint"
        isPending={isPending}
        error={error}
        onSend={(draft) => mutate({ ...draft, events: [...draft.events] })}
        onCancel={onClose}
      />
    </Dialog>
  );
}
