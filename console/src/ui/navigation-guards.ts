import type { AroundNavHandler } from "wouter";

/** Calls `proceed`, now or once its question is answered. */
export type Ask = (proceed: () => void) => void;

/** The guards that are on, the newest last. */
const active: Ask[] = [];
let isFree = false;

/** Adds a guard. Returns what removes it. */
export function addGuard(ask: Ask): () => void {
  active.push(ask);
  return () => void active.splice(active.indexOf(ask), 1);
}

export function isGuarded(): boolean {
  return active.length > 0;
}

/** Asks the newest guard first: for a dialog whose form, or whose secret, has one. */
export function askToLeave(proceed: () => void): void {
  const guard = active.at(-1);
  if (guard === undefined || isFree) proceed();
  else guard(proceed);
}

/** For the router: every navigation within the console asks. It takes the place of a guard's own entry in the history. */
export const askFirst: AroundNavHandler = (navigate, to, options) =>
  askToLeave(() => navigate(to, isGuardEntry() ? { ...options, replace: true } : options));

/** Whether guards let everything pass: what is done was agreed to, or loses nothing. */
export function isAskingOff(): boolean {
  return isFree;
}

/** For who leaves the console with nothing to lose. */
export function stopAsking(): void {
  isFree = true;
}

/** Does what no guard asks about: the form was saved, or its Cancel was pressed. */
export function withoutAsking(proceed: () => void): void {
  stopAsking();
  proceed();
  isFree = false;
}

/** Of the state of a guard's own entry in the history. */
export const GUARDED = "latchkeyGuarded";

/** Whether the history is at such an entry. */
export function isGuardEntry(): boolean {
  return history.state?.[GUARDED] === true;
}
