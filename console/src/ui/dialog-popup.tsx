import { AlertDialog } from "@base-ui/react/alert-dialog";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";

/** Of both kinds of dialogs, which are loaded when the first opens, or when there is time before. */
export interface DialogProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly open: boolean;
  readonly onClose: () => void;
  /** The element to focus afterwards; true: the one before. For where that may be gone. */
  readonly finalFocus?: () => HTMLElement | null | true;
  readonly children: ReactNode;
}

/**
 * A dialog with a title. The library keeps the focus in it and gives it back. A click beside it does not close it: what was
 * typed would be lost.
 */
export function DialogPopup({ title, description, open, onClose, finalFocus = asBefore, children }: DialogProps) {
  return (
    <CSPProvider disableStyleElements>
      <BaseDialog.Root open={open} disablePointerDismissal onOpenChange={(isOpen) => isOpen || onClose()}>
        <BaseDialog.Portal>
          <BaseDialog.Backdrop className="backdrop" />
          <BaseDialog.Viewport className="dialog-viewport">
            <BaseDialog.Popup className="dialog" finalFocus={finalFocus}>
              <BaseDialog.Title className="dialog-title">{title}</BaseDialog.Title>
              {description && <BaseDialog.Description render={<div />}>{description}</BaseDialog.Description>}
              {children}
            </BaseDialog.Popup>
          </BaseDialog.Viewport>
        </BaseDialog.Portal>
      </BaseDialog.Root>
    </CSPProvider>
  );
}

/** A dialog that interrupts: readers announce it as an alert. For questions, and for what should not go by accident. */
export function AlertPopup({ title, description, open, onClose, finalFocus = asBefore, children }: DialogProps) {
  return (
    <CSPProvider disableStyleElements>
      <AlertDialog.Root open={open} onOpenChange={(isOpen) => isOpen || onClose()}>
        <AlertDialog.Portal>
          <AlertDialog.Backdrop className="backdrop" />
          <AlertDialog.Viewport className="dialog-viewport">
            <AlertDialog.Popup className="dialog" finalFocus={finalFocus}>
              <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
              {description && <AlertDialog.Description render={<div />}>{description}</AlertDialog.Description>}
              {children}
            </AlertDialog.Popup>
          </AlertDialog.Viewport>
        </AlertDialog.Portal>
      </AlertDialog.Root>
    </CSPProvider>
  );
}

const asBefore = (): true => true;
