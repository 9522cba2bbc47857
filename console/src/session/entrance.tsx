import { useEffect, useState } from "react";
import { App } from "../app.tsx";
import { tokenIn } from "../members/invitation-link.ts";
import { loadSettings, type Settings } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { Mark } from "../ui/mark.tsx";
import { Loading, Notice } from "../ui/states.tsx";
import { type Arrival, arrive, beginSignIn, pathNow } from "./sign-in.ts";
import { finishWindow } from "./sign-in-window.ts";

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "window" }
  | { readonly kind: "failed"; readonly problem: string }
  | { readonly kind: "arrived"; readonly settings: Settings; readonly arrival: Arrival };

// Once for a visit: the code of a sign-in is good for one exchange, and strict mode runs effects twice.
let entering: Promise<State> | undefined;

/** Signs in, or shows what keeps the user out. */
export function Entrance() {
  const [state, setState] = useState<State>({ kind: "loading" });
  useEffect(() => {
    entering ??= enter();
    void entering.then(setState);
  }, []);
  if (state.kind === "loading") return <Loading what="the console" />;
  if (state.kind === "window")
    return <Outside problem={undefined} text="You are signed in. You can close this window." />;
  if (state.kind === "failed") return <Outside problem={state.problem} />;
  const { settings, arrival } = state;
  switch (arrival.kind) {
    case "leaving":
      return <Loading what="your session" />;
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

async function enter(): Promise<State> {
  if (finishWindow()) return { kind: "window" };
  try {
    const settings = await loadSettings();
    if ("problem" in settings) return { kind: "failed", problem: settings.problem };
    return { kind: "arrived", settings, arrival: await arrive(settings) };
  } catch (err) {
    return { kind: "failed", problem: err instanceof Error ? err.message : String(err) };
  }
}

interface OutsideProps {
  readonly problem: string | undefined;
  readonly title?: string;
  readonly text?: string;
  readonly children?: React.ReactNode;
}

/** What the link says cannot be read before the sign-in: it is for one address. */
const INVITED = {
  title: "You are invited to an organization",
  text: "Sign in with the email address that was invited to see who invites you, to what and as what. You join only when you say so there.",
};

function isInvited(): boolean {
  return tokenIn(location.hash) !== undefined;
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
