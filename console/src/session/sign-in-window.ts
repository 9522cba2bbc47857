import type * as oauth from "oauth4webapi";
import type { Settings } from "../settings.ts";
import { authorizationUrl, CALLBACK, exchange, newAttempt } from "./attempt.ts";

/** How the state of a sign-in in a window of its own begins. */
const MARK = "window.";
/**
 * The page and its window share no other reference: the page's opener policy severs it when the window goes to the provider.
 * It sends the address with the code, which is of no use without the verifier that only the page has.
 */
const CHANNEL = "latchkey.sign-in";
const FEATURES = "popup,width=480,height=720";

/** The browser did not open a window. */
export class NoWindow extends Error {
  override readonly name = "NoWindow";
}

/**
 * Signs in through a window beside the page, which stays as it is. To be called by a click, as browsers open no window else.
 * Rejects with `NoWindow`, and with what the provider or the library says. Pending while the user takes their time.
 */
export async function signInBeside(settings: Settings): Promise<oauth.TokenEndpointResponse> {
  // Before anything is awaited: some browsers count the click for no longer.
  const opened = window.open("about:blank", "latchkey-sign-in", FEATURES);
  if (opened === null) throw new NoWindow("The browser did not open a window.");
  const attempt = newAttempt(MARK);
  const callback = addressOf(attempt.state);
  opened.location.href = (await authorizationUrl(settings, attempt)).href;
  return exchange(settings, attempt, await callback);
}

/** The address that the window of this state came back to. Those of other pages' windows are passed over. */
function addressOf(state: string): Promise<URL> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }) => {
      const url = new URL(String(data));
      if (url.searchParams.get("state") !== state) return;
      channel.close();
      resolve(url);
    };
  });
}

/** In such a window, back from the provider: passes on the address, and closes it. False: this is no such window. */
export function finishWindow(): boolean {
  const { pathname, searchParams, href } = new URL(location.href);
  if (pathname !== CALLBACK || !searchParams.get("state")?.startsWith(MARK)) return false;
  history.replaceState(null, "", CALLBACK);
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(href);
  channel.close();
  window.close();
  return true;
}
