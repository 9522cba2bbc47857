import { WebhookService } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_service_pb.ts";
import { useCreation } from "../api/creation.ts";
import { Dialog } from "../ui/dialog.tsx";
import { LostSecretDialog } from "../ui/lost-secret.tsx";
import { askToLeave } from "../ui/navigation-guards.ts";
import { ALL } from "./event-types.ts";
import { SecretDialog } from "./secret.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { useRefreshWebhooks } from "./webhook-queries.ts";

const EMPTY = { url: "", description: "", events: [ALL] };

/** Adds an endpoint, and shows its secret once. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const refresh = useRefreshWebhooks();
  const { make, isPending, error, data } = useCreation(WebhookService.method.createWebhook, {
    // Not awaited: the secret is there, and the list behind it may take its time.
    onSuccess: () => void refresh(),
  });
  const rotation = useCreation(WebhookService.method.rotateWebhookSecret);
  const secret = rotation.data?.secret || data?.secret;
  if (secret) return <SecretDialog secret={secret} onDone={onClose} />;
  if (data !== undefined)
    return (
      <LostSecretDialog
        made="endpoint"
        lost="secret"
        text="Another secret takes its place."
        isBusy={rotation.isPending}
        error={rotation.error}
        onReplace={() => rotation.make({ webhookId: data.result?.webhookId ?? "" })}
        onClose={onClose}
      />
    );
  return (
    <Dialog title="Add an endpoint" open onClose={() => askToLeave(onClose)}>
      <WebhookForm
        initial={EMPTY}
        action="Add endpoint"
        isPending={isPending}
        error={error}
        onSend={(draft) => make({ ...draft, events: [...draft.events] })}
        onCancel={onClose}
      />
    </Dialog>
  );
}
