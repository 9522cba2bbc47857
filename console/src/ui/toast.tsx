import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { CircleAlert, CircleCheck, X } from "./icons.tsx";
import "../styles/menus.css";
import { Button } from "./button.tsx";
import { useTimeout } from "./use-timeout.ts";

/** Ms that a message stays, unless the pointer or the focus is on it. */
const STAYS_MS = 6_000;

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

type ShowToast = (text: string, tone?: Toast["tone"]) => void;

const ToastContext = createContext<ShowToast | undefined>(undefined);

/** Shows a short message that a change was made, such as `Invitation revoked`. A question belongs on the page. */
export function useToast(): ShowToast {
  const show = useContext(ToastContext);
  if (show === undefined) throw new Error("There is no ToastProvider above this component.");
  return show;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const show = useCallback<ShowToast>((text, tone = "good") => {
    setToasts((shown) => [...shown.slice(-2), { id: (shown.at(-1)?.id ?? 0) + 1, text, tone }]);
  }, []);
  const close = useCallback((id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)), []);
  return (
    <ToastContext value={show}>
      {children}
      {/* There from the start: readers announce what changes in it. */}
      <div className="toasts" role="status">
        {toasts.map((toast) => (
          <Message key={toast.id} toast={toast} onClose={close} />
        ))}
      </div>
    </ToastContext>
  );
}

function Message({ toast: { id, text, tone }, onClose }: { toast: Toast; onClose: (id: number) => void }) {
  const [isHeld, setHeld] = useState(false);
  useTimeout(() => onClose(id), isHeld ? undefined : STAYS_MS);
  const Icon = tone === "good" ? CircleCheck : CircleAlert;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only makes it stay
    <div
      className={`toast toast-${tone}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon />
      <span>{text}</span>
      <Button look="quiet" className="button-icon" aria-label="Close the message" onClick={() => onClose(id)}>
        <X />
      </Button>
    </div>
  );
}
