import { useMutation } from "@connectrpc/connect-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { type Webhook, WebhookStatus } from "../../../clients/typescript/src/gen/latchkey/v1/webhook_pb.ts";
import {
  WebhookService,
  type WebhookTest,
} from "../../../clients/typescript/src/gen/latchkey/v1/webhook_service_pb.ts";
import { useCreation } from "../api/creation.ts";
import { Confirm } from "../members/confirm.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { LostSecretDialog } from "../ui/lost-secret.tsx";
import { askToLeave } from "../ui/navigation-guards.ts";
import { Notice, Problem } from "../ui/states.tsx";
import { SecretDialog } from "./secret.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { useRefreshWebhooks } from "./webhook-queries.ts";

type Open = "edit" | "disable" | "rotate" | "delete" | undefined;

/** What can be done with an endpoint. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { webhookId, status } = webhook;
  const [open, setOpen] = useState<Open>();
  const refresh = useRefreshWebhooks();
  const close = (): void => setOpen(undefined);
  const test = useMutation(WebhookService.method.testWebhook);
  const update = useMutation(WebhookService.method.updateWebhook, { onSuccess: refresh });
  const isEnabled = status === WebhookStatus.ENABLED;
  const enable = (): void => update.mutate({ webhookId, status: WebhookStatus.ENABLED, updateMask: "status" });
  return (
    <section className="webhook-actions" aria-label="Actions">
      <div className="actions" id="webhook-actions" tabIndex={-1}>
        <Button look="main" busy={test.isPending} onClick={() => test.mutate({ webhookId })}>
          Send a test
        </Button>
        <Button onClick={() => setOpen("edit")}>Edit</Button>
        <Button busy={update.isPending} onClick={isEnabled ? () => setOpen("disable") : enable}>
          {isEnabled ? "Disable" : "Enable"}
        </Button>
        <Button onClick={() => setOpen("rotate")}>Rotate secret</Button>
        <Button look="danger" onClick={() => setOpen("delete")}>
          Delete
        </Button>
      </div>
      {test.error && <Problem error={test.error} />}
      {update.error && <Problem error={update.error} />}
      {test.data?.result && <TestResult test={test.data.result} />}
      {open === "edit" && <EditWebhook webhook={webhook} onClose={close} />}
      {open === "disable" && <DisableWebhook webhook={webhook} onClose={close} />}
      {open === "rotate" && <RotateSecret webhook={webhook} onClose={close} />}
      {open === "delete" && <DeleteWebhook webhook={webhook} onClose={close} />}
    </section>
  );
}

function TestResult({ test: { delivered, status, durationMs, error, answer, body } }: { test: WebhookTest }) {
  const came = status === 0 ? error : `The endpoint answered ${status} in ${durationMs} ms`;
  return (
    <>
      <Notice kind={delivered ? "good" : "bad"}>
        {delivered ? "The test was delivered." : "The test was not delivered."} {came}.
      </Notice>
      <details>
        <summary>What was sent, and the answer</summary>
        <pre className="webhook-body">{body}</pre>
        <pre className="webhook-body">{answer === "" ? "The answer had no body." : answer}</pre>
      </details>
    </>
  );
}

function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const refresh = useRefreshWebhooks();
  const { mutate, isPending, error } = useMutation(WebhookService.method.updateWebhook, {
    onSuccess: async () => {
      await refresh();
      onClose();
    },
  });
  const { webhookId } = webhook;
  return (
    <Dialog title="Edit the endpoint" open onClose={() => askToLeave(onClose)}>
      <WebhookForm
        initial={webhook}
        action="Save"
        isPending={isPending}
        error={error}
        onSend={(draft) =>
          mutate({ webhookId, ...draft, events: [...draft.events], updateMask: "url,events,description" })
        }
        onCancel={onClose}
      />
    </Dialog>
  );
}

function RotateSecret({ webhook: { webhookId }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const refresh = useRefreshWebhooks();
  const { make, isPending, error, data } = useCreation(WebhookService.method.rotateWebhookSecret, {
    onSuccess: () => void refresh(),
  });
  const note = "The old secret signs, too, for 24 hours.";
  if (data?.secret === "")
    return (
      <LostSecretDialog
        made="new secret"
        lost="value"
        text="Another new secret takes its place. The old secret keeps signing."
        isBusy={isPending}
        error={error}
        onReplace={() => make({ webhookId })}
        onClose={onClose}
      />
    );
  if (data !== undefined) return <SecretDialog secret={data.secret} note={note} onDone={onClose} />;
  return (
    <Dialog title="Rotate the secret?" description={`You get a new secret. ${note}`} open onClose={onClose}>
      {error !== null && <Problem error={error} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="main" busy={isPending} onClick={() => make({ webhookId })}>
          Make a new secret
        </Button>
      </div>
    </Dialog>
  );
}

function DisableWebhook({ webhook: { webhookId, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const refresh = useRefreshWebhooks();
  const { mutateAsync } = useMutation(WebhookService.method.updateWebhook);
  const disable = async (): Promise<void> => {
    await mutateAsync({ webhookId, status: WebhookStatus.DISABLED, updateMask: "status" });
    await refresh();
  };
  return (
    <Confirm
      title="Disable the endpoint?"
      action="Disable"
      onConfirm={disable}
      onClose={onClose}
      focusAfter="webhook-actions"
    >
      No event is sent to {url} until you enable it again. Events of that time can be sent afterwards.
    </Confirm>
  );
}

function DeleteWebhook({ webhook: { webhookId, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [, navigate] = useLocation();
  const refresh = useRefreshWebhooks();
  const { mutateAsync } = useMutation(WebhookService.method.deleteWebhook);
  const remove = async (): Promise<void> => {
    await mutateAsync({ webhookId });
    navigate("/webhooks", { replace: true });
    void refresh();
  };
  return (
    <Confirm title="Delete the endpoint?" action="Delete" onConfirm={remove} onClose={onClose} focusAfter="content">
      Nothing more is sent to {url}, and what was sent is no longer listed. It cannot be undone; to stop it for a while,
      disable it.
    </Confirm>
  );
}
