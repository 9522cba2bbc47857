import { useState } from "react";
import type { Settings } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { Alert } from "../ui/dialog.tsx";
import { Notice } from "../ui/states.tsx";
import { problemOf } from "./attempt.ts";
import type { Session } from "./session.ts";
import { beginSignIn, pathNow } from "./sign-in.ts";
import { NoWindow, signInBeside } from "./sign-in-window.ts";

interface SessionOverProps {
  readonly isOver: boolean;
  readonly settings: Settings;
  readonly session: Session;
  readonly onResumed: () => void;
}

/**
 * Covers the page, which stays as it is, when only a new sign-in helps. That is done in a window of its own, so that what was
 * typed and a secret that is shown once are still there.
 */
export function SessionOver({ isOver, settings, session, onResumed }: SessionOverProps) {
  const [isWaiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState<string>();
  const signIn = async (): Promise<void> => {
    setWaiting(true);
    setProblem(undefined);
    try {
      session.resume(await signInBeside(settings));
      onResumed();
    } catch (err) {
      // Without a window the page itself has to go there.
      if (err instanceof NoWindow) await beginSignIn(settings, pathNow());
      else setProblem(problemOf(err));
    }
    setWaiting(false);
  };
  return (
    <Alert
      title="Your session is over"
      description="Sign in again to go on. It opens a window, and this page stays as it is."
      open={isOver}
      onClose={() => undefined}
    >
      {problem !== undefined && <Notice kind="bad">{problem}</Notice>}
      {isWaiting && <p role="status">Go on in the window that has opened.</p>}
      <div className="actions">
        <Button look="main" onClick={() => void signIn()}>
          {isWaiting ? "Open the window again" : "Sign in"}
        </Button>
      </div>
    </Alert>
  );
}
