import { type ReactNode, useEffect, useState } from "react";
import { App } from "../app.tsx";
import { tokenIn } from "../members/invitation-link.ts";
import { Button } from "../ui/button.tsx";
import { Mark } from "../ui/mark.tsx";
import { Notice } from "../ui/states.tsx";
import type { Entry } from "./entry.ts";
import { beginSignIn, onSignedOut, pathNow } from "./sign-in.ts";

/** Signs in, or shows what keeps the user out. */
export function Entrance({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case "leaving":
      return null;
    case "window":
      return <Outside problem={undefined} text="You are signed in. You can close this window." />;
    case "failed":
      return <Outside problem={entry.problem} />;
    case "arrived":
      return <Arrived {...entry} />;
  }
}

function Arrived({ settings, arrival: first }: Extract<Entry, { readonly kind: "arrived" }>) {
  const [arrival, setArrival] = useState(first);
  // With the page its tokens go, and whatever it shows: none of it is for who signs in next.
  useEffect(() => onSignedOut(() => setArrival({ kind: "signed_out" })), []);
  switch (arrival.kind) {
    case "signed_in":
      return <App settings={settings} session={arrival.session} />;
    case "signed_out":
      return (
        <Outside problem={arrival.problem} {...(isInvited() && INVITED)}>
          <Button look="main" onClick={() => void beginSignIn(settings, pathNow())}>
            Sign in
          </Button>
        </Outside>
      );
  }
}

/** What the link says cannot be read before the sign-in: it is for one address. */
const INVITED = {
  title: "You are invited to an organization",
  text: "Sign in with the email address that was invited to see who invites you, to what and as what. You join only when you say so there.",
};

function isInvited(): boolean {
  return tokenIn(location.hash) !== undefined;
}

interface OutsideProps {
  readonly problem: string | undefined;
  readonly title?: string;
  readonly text?: string;
  readonly children?: ReactNode;
}

function Outside({
  problem,
  title = "Latchkey console",
  text = "API keys, usage, activity and members of your organization.",
  children,
}: OutsideProps) {
  return (
    <main className="outside">
      <Mark />
      <h1>{title}</h1>
      {problem === undefined ? <p className="quiet">{text}</p> : <Notice kind="bad">{problem}</Notice>}
      {children}
    </main>
  );
}
