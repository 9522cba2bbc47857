import {
  createContext,
  createElement,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from "react";
import { createLatchkeyClient, type LatchkeyClient } from "../client.ts";
import type { TokenSource } from "../credentials.ts";

export interface LatchkeyProviderProps {
  /** Without the API's path: `https://api.example.com`. */
  readonly baseUrl: string;
  /** Allows a `baseUrl` that begins with `http://` beyond this machine. Default: false. */
  readonly insecureHttp?: boolean | undefined;
  /** The publishable key, `pk_...`. Without one, the token is that of a dashboard user. */
  readonly apiKey?: string | undefined;
  /**
   * The user's current token. It may be another function at each render. For another user, give the provider another `key`,
   * so that nothing of the user before is shown.
   */
  readonly getUserToken: TokenSource;
  readonly children?: ReactNode;
}

/** On a server no effect runs, and React 18 warns of one that is to run before the page is shown. */
const useEarlyEffect = "document" in globalThis ? useLayoutEffect : useEffect;
const Context = createContext<LatchkeyClient | undefined>(undefined);

/** Gives the hooks below it one client. */
export function LatchkeyProvider({
  baseUrl,
  insecureHttp,
  apiKey,
  getUserToken,
  children,
}: LatchkeyProviderProps): ReactNode {
  const latest = useRef(getUserToken);
  // Before the effects of the components below it, which call.
  useEarlyEffect(() => {
    latest.current = getUserToken;
  }, [getUserToken]);
  const client = useMemo(() => {
    const credentials = { getUserToken: ((options) => latest.current(options)) satisfies TokenSource };
    return createLatchkeyClient({ baseUrl, insecureHttp, ...credentials, ...(apiKey !== undefined && { apiKey }) });
  }, [baseUrl, insecureHttp, apiKey]);
  return createElement(Context.Provider, { value: client }, children);
}

/** The client, for all calls that have no hook of their own. Throws outside of a provider. */
export function useLatchkey(): LatchkeyClient {
  const client = useContext(Context);
  if (client === undefined) throw new Error("useLatchkey and the other hooks work below a LatchkeyProvider");
  return client;
}
