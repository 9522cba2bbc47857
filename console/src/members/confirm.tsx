import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { Alert } from "../ui/dialog.tsx";
import { Problem } from "../ui/states.tsx";

interface ConfirmProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Name of the button. */
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  /** The id of what gets the focus when it is done: the row that the dialog was opened from is gone then. Or what gets it. */
  readonly focusAfter: string | (() => HTMLElement | null | true);
}

/** Asks before something ends for a person, and shows why it did not. */
export function Confirm({ title, children, action, onConfirm, onClose, focusAfter }: ConfirmProps) {
  const isDone = useRef(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: onConfirm,
    onSuccess: () => {
      isDone.current = true;
      onClose();
    },
  });
  const focus = (): HTMLElement | null | true => {
    if (typeof focusAfter !== "string") return focusAfter();
    return isDone.current ? document.getElementById(focusAfter) : true;
  };
  return (
    <Alert title={title} description={children} open onClose={onClose} finalFocus={focus}>
      {error && <Problem error={error} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={isPending} onClick={() => mutate()}>
          {action}
        </Button>
      </div>
    </Alert>
  );
}
