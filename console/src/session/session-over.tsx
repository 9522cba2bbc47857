import type { Settings } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { Alert } from "../ui/dialog.tsx";
import { beginSignIn, pathNow } from "./sign-in.ts";

/** Covers the page, which stays as it is, when only a new sign-in helps. */
export function SessionOver({ isOver, settings }: { isOver: boolean; settings: Settings }) {
  return (
    <Alert title="Your session is over" description="Sign in again to go on." open={isOver} onClose={() => undefined}>
      <div className="actions">
        <Button look="main" onClick={() => void beginSignIn(settings, pathNow())}>
          Sign in
        </Button>
      </div>
    </Alert>
  );
}
