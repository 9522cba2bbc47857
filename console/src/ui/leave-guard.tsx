import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { Alert } from "./dialog.tsx";

interface LeaveGuardOptions {
  /** Whether something would be lost now. */
  readonly isOn: boolean;
  /** What is asked, such as `Leave without the key?`. */
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

type Ask = (proceed: () => void) => void;

/** The guards that are on, the newest last. */
const active: Ask[] = [];

/** Asks before what cannot be got back is left: by Back, by a link, by closing the page, and by what calls `ask`. */
export function useLeaveGuard({ isOn, title, text, leave, stay = "Stay" }: LeaveGuardOptions): LeaveGuard {
  const [pending, setPending] = useState<() => void>();
  const isLeaving = useRef(false);
  const ask: Ask = (proceed) => {
    if (isOn && !isLeaving.current) setPending(() => proceed);
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
    isLeaving.current = true;
    setPending(undefined);
    pending?.();
    isLeaving.current = false;
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

/** For the router: every navigation within the console asks the newest guard first. */
export function askFirst<Rest extends readonly unknown[]>(navigate: (...args: Rest) => void, ...args: Rest): void {
  const guard = active.at(-1);
  if (guard === undefined) navigate(...args);
  else guard(() => navigate(...args));
}

const GUARDED = "latchkeyGuarded";

/**
 * Back cannot be cancelled in every browser: a second entry of the same address takes it, and the page stays as it is while
 * the question is there. Returns what removes the guard.
 */
function guardHistory(ask: Ask): () => void {
  const enter = (): void => history.pushState({ [GUARDED]: true }, "", location.href);
  const isEntered = (): boolean => history.state?.[GUARDED] === true;
  let isLeft = false;
  const onBack = (): void => {
    if (isLeft || isEntered()) return;
    enter();
    ask(() => {
      isLeft = true;
      // Past the second entry, and the first.
      history.go(-2);
    });
  };
  const onClosing = (event: BeforeUnloadEvent): void => {
    if (!isLeft) event.preventDefault();
  };
  active.push(ask);
  enter();
  window.addEventListener("popstate", onBack);
  window.addEventListener("beforeunload", onClosing);
  return () => {
    active.splice(active.indexOf(ask), 1);
    window.removeEventListener("popstate", onBack);
    window.removeEventListener("beforeunload", onClosing);
    // Unless another page was entered meanwhile: then the one below it has the same address, and Back needs a press more.
    if (isEntered()) history.back();
  };
}
