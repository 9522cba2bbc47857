import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { Alert } from "./dialog.tsx";
import {
  type Ask,
  addGuard,
  askToLeave,
  GUARDED,
  isAskingOff,
  isGuardEntry,
  isGuarded,
  withoutAsking,
} from "./navigation-guards.ts";

interface LeaveGuardOptions {
  /** Whether something would be lost now. */
  readonly isOn: boolean;
  /** The question, such as `Leave without the key?`. */
  readonly title: string;
  /** What would be lost. */
  readonly text: ReactNode;
  /** Name of the button that leaves all the same. */
  readonly leave: string;
  /** Name of the button that stays. */
  readonly stay?: string;
}

export interface LeaveGuard {
  /** Asks, where the guard is on, before it does what would lose it: for Escape, a click beside, a Close button. */
  ask(proceed: () => void): void;
  /** The question. To be rendered, in the dialog that it guards if that is one. */
  readonly question: ReactNode;
}

/** Asks before what cannot be got back is left: by Back, by a link, by closing the page, and by what calls `ask`. */
export function useLeaveGuard({ isOn, title, text, leave, stay = "Stay" }: LeaveGuardOptions): LeaveGuard {
  const [pending, setPending] = useState<() => void>();
  const ask: Ask = (proceed) => {
    if (isOn && !isAskingOff()) setPending(() => proceed);
    else proceed();
  };
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    if (!isOn) return;
    return guardHistory((proceed) => latest.current(proceed));
  }, [isOn]);
  const proceed = (): void => {
    setPending(undefined);
    if (pending) withoutAsking(pending);
  };
  const question = (
    <Alert title={title} description={text} open={pending !== undefined} onClose={() => setPending(undefined)}>
      <div className="actions">
        <Button look="danger" onClick={proceed}>
          {leave}
        </Button>
        <Button look="main" onClick={() => setPending(undefined)}>
          {stay}
        </Button>
      </div>
    </Alert>
  );
  return { ask, question };
}

/** Asks before what was typed into a form is lost. */
export function useUnsaved(isChanged: boolean): LeaveGuard {
  return useLeaveGuard({
    isOn: isChanged,
    title: "Discard what you typed?",
    text: "It is not saved yet.",
    leave: "Discard",
    stay: "Keep editing",
  });
}

/**
 * Back cannot be cancelled in every browser: a second entry of the same address takes it, and the page stays as it is while
 * the question is there. Returns what removes the guard.
 */
function guardHistory(ask: Ask): () => void {
  const enter = (): void => {
    if (!isGuardEntry()) history.pushState({ [GUARDED]: true }, "", location.href);
  };
  let isLeft = false;
  const onBack = (): void => {
    if (isLeft || isGuardEntry()) return;
    enter();
    askToLeave(() => {
      isLeft = true;
      // Past the second entry, and the first.
      history.go(-2);
    });
  };
  const onClosing = (event: BeforeUnloadEvent): void => {
    if (!isLeft && !isAskingOff()) event.preventDefault();
  };
  const remove = addGuard(ask);
  enter();
  window.addEventListener("popstate", onBack);
  window.addEventListener("beforeunload", onClosing);
  return () => {
    remove();
    window.removeEventListener("popstate", onBack);
    window.removeEventListener("beforeunload", onClosing);
    // Unless another guard, as that of what a form has made, or another page takes its place now.
    setTimeout(() => {
      if (!isGuarded() && isGuardEntry()) history.back();
    });
  };
}
