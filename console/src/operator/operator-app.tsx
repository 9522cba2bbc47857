import "../styles/operator.css";
import { Router } from "wouter";
import type { Session } from "../session/session.ts";
import { signOut } from "../session/sign-in.ts";
import type { Settings } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { LogOut } from "../ui/icons.tsx";
import { Mark } from "../ui/mark.tsx";
import { ToastProvider } from "../ui/toast.tsx";
import { OperatorTabs } from "./operator-page.tsx";

/** The console on the port of operators, which has no pages and no RPCs of tenants. */
export function OperatorApp({ session, settings }: { session: Session; settings: Settings }) {
  const { label } = session.user;
  return (
    <Router base="/console">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="operator-bar">
        <Mark />
        <strong>Latchkey for operators</strong>
        <span className="quiet">{label}</span>
        <Button look="quiet" aria-label={`Sign out ${label}`} onClick={() => signOut(settings, session)}>
          <LogOut />
          Sign out
        </Button>
      </header>
      <main id="content" className="content" tabIndex={-1}>
        <ToastProvider>
          <OperatorTabs user={session.user} />
        </ToastProvider>
      </main>
    </Router>
  );
}
