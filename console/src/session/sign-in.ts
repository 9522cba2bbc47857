import * as oauth from "oauth4webapi";
import type { Settings } from "../settings.ts";
import { type Attempt, authorizationUrl, CALLBACK, exchange, newAttempt, problemOf } from "./attempt.ts";
import { openSession, type Session } from "./session.ts";

/**
 * The state that survives the way to the provider and back: of use only to this sign-in, and removed when it is over. No
 * token is ever stored.
 */
interface Pending extends Attempt {
  /** The path within the page to go on at. */
  readonly returnTo: string;
  readonly isSilent: boolean;
}

/** How a visit of the page begins. */
export type Arrival =
  | { readonly kind: "signed_in"; readonly session: Session; readonly returnTo: string }
  /** `problem`: why a sign-in failed. */
  | { readonly kind: "signed_out"; readonly problem?: string }
  /** On the way to the provider. */
  | { readonly kind: "leaving" };

const PENDING = "latchkey.sign-in";
/**
 * Whether the last visit in this browser, of any tab, ended signed in: then the provider is asked whether its session goes on.
 * `out`: it ended by a sign-out that the provider knows nothing of, so the next sign-in asks for its user again.
 */
const MARK = "latchkey.signed-in";
/** In this tab: its user has left for a sign-out at the provider, whose outcome the next visit learns. */
const LEFT = "latchkey.sign-out";
/** Tells the other tabs of a sign-out. Another one's end of the session, such as its expiry, is not one. */
const SIGNED_OUT = "latchkey.signed-out";
/**
 * What the provider says to `prompt=none` if it cannot go on without its user (OpenID Connect Core 1.0, 3.1.2.6): there
 * is no session, or there is one and its user has something to answer.
 */
const NO_SESSION = "login_required";
const NEEDS_ANSWER = ["interaction_required", "consent_required", "account_selection_required"];

/**
 * Whether this visit only goes on to the provider, to ask whether its session goes on. Not after an attempt of this tab that
 * did not come back: it would go round in circles.
 */
export function isPassingThrough(): boolean {
  const isBack = location.pathname === CALLBACK || sessionStorage.getItem(PENDING) !== null;
  return !isBack && localStorage.getItem(MARK) === "in";
}

/** Finishes a sign-in that comes back from the provider, or resumes the one of before a reload. */
export async function arrive(settings: Settings): Promise<Arrival> {
  if (location.pathname === CALLBACK) return finishSignIn(settings);
  if (!isPassingThrough()) {
    takePending();
    return { kind: "signed_out" };
  }
  await beginSignIn(settings, pathNow(), true);
  return { kind: "leaving" };
}

/** Goes to the provider. Silent: it comes back at once, signed in or not, without showing anything. */
export async function beginSignIn(settings: Settings, returnTo: string, isSilent = false): Promise<void> {
  const attempt = newAttempt();
  const pending: Pending = { ...attempt, returnTo, isSilent };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  const prompt = isSilent ? "none" : localStorage.getItem(MARK) === "out" && "login";
  location.assign(await authorizationUrl(settings, attempt, prompt ? { prompt } : {}));
}

/**
 * Forgets the tokens, and goes to where the provider ends its session: some end it only for who names it by an ID token. It may
 * ask, and be answered no: the visit that follows asks it, so the mark of being signed in stays.
 */
export function signOut(settings: Settings, session: Session): void {
  const { end_session_endpoint: endSession } = settings.provider;
  if (endSession === undefined) {
    localStorage.setItem(MARK, "out");
    endOtherTabs();
    location.assign("/console");
    return;
  }
  sessionStorage.setItem(LEFT, "1");
  const url = new URL(endSession);
  url.searchParams.set("client_id", settings.client_id);
  url.searchParams.set("post_logout_redirect_uri", `${location.origin}/console`);
  url.searchParams.set("id_token_hint", session.idToken());
  location.assign(url);
}

function endOtherTabs(): void {
  const channel = new BroadcastChannel(SIGNED_OUT);
  channel.postMessage(null);
  channel.close();
}

/** Calls `end` when the user signs out in another tab. Returns what ends that. */
export function onSignedOut(end: () => void): () => void {
  const channel = new BroadcastChannel(SIGNED_OUT);
  channel.onmessage = end;
  return () => channel.close();
}

let keptHash = "";

/** The hash for a return to this page, which its address does not show. Returns what forgets it. */
export function keepHash(hash: string): () => void {
  keptHash = hash;
  return () => {
    keptHash = "";
  };
}

/** The path to return to after a sign-in. */
export function pathNow(): string {
  return location.pathname + location.search + (location.hash || keptHash);
}

async function finishSignIn(settings: Settings): Promise<Arrival> {
  const url = new URL(location.href);
  const pending = takePending();
  const hasLeft = sessionStorage.getItem(LEFT) !== null;
  sessionStorage.removeItem(LEFT);
  // The code is used up, and it should be neither in the history nor in a copied address.
  history.replaceState(null, "", pending?.returnTo ?? "/console");
  if (pending === undefined)
    return { kind: "signed_out", problem: "This sign-in was not begun here, or is over. Sign in again." };
  try {
    const tokens = await exchange(settings, pending, url);
    const session = openSession(settings, tokens);
    localStorage.setItem(MARK, "in");
    return { kind: "signed_in", session, returnTo: pending.returnTo };
  } catch (err) {
    const error = err instanceof oauth.AuthorizationResponseError ? err.error : "";
    if (pending.isSilent && error === NO_SESSION) {
      localStorage.removeItem(MARK);
      if (hasLeft) endOtherTabs();
      return { kind: "signed_out" };
    }
    if (pending.isSilent && NEEDS_ANSWER.includes(error)) {
      await beginSignIn(settings, pending.returnTo);
      return { kind: "leaving" };
    }
    return { kind: "signed_out", problem: `The sign-in failed: ${problemOf(err)}` };
  }
}

function takePending(): Pending | undefined {
  const stored = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  // Written above.
  return stored === null ? undefined : (JSON.parse(stored) as Pending);
}
