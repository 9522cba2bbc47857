import { TransportProvider } from "@connectrpc/connect-query";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { CallerProvider } from "./api/caller.tsx";
import { endsSession, isPassing } from "./api/failure.ts";
import { createTransport } from "./api/transport.ts";
import { Frame } from "./frame.tsx";
import type { Session } from "./session/session.ts";
import type { Settings } from "./settings.ts";
import { Loading } from "./ui/states.tsx";
import { ToastProvider } from "./ui/toast.tsx";

/** For the port of operators, which has nothing else. */
const OperatorApp = lazy(async () => ({ default: (await import("./operator/operator-app.tsx")).OperatorApp }));

const FRESH_MS = 10_000;
const RETRIES = 2;
/** Ms between the calls of a query that failed in passing, after its retries: a service that is back is noticed. */
const LOOK_MS = 5_000;

const SessionOver = lazy(async () => ({ default: (await import("./session/session-over.tsx")).SessionOver }));

/** The console of a signed-in user. */
export function App({ settings, session }: { settings: Settings; session: Session }) {
  const [isOver, setOver] = useState(false);
  const transport = useMemo(() => createTransport(session), [session]);
  const queries = useMemo(() => createQueries(() => setOver(true)), []);
  return (
    <TransportProvider transport={transport}>
      <QueryClientProvider client={queries}>
        {settings.area === "operator" ? (
          <Suspense fallback={<Loading what="the page" />}>
            <OperatorApp session={session} settings={settings} />
          </Suspense>
        ) : (
          <CallerProvider session={session} settings={settings}>
            <ToastProvider>
              <Frame />
            </ToastProvider>
          </CallerProvider>
        )}
        <Suspense fallback={null}>
          <SessionOver
            isOver={isOver}
            settings={settings}
            session={session}
            onResumed={() => {
              setOver(false);
              void queries.invalidateQueries();
            }}
          />
        </Suspense>
      </QueryClientProvider>
    </TransportProvider>
  );
}

function createQueries(onSessionEnd: () => void): QueryClient {
  const onError = (err: Error): void => {
    if (endsSession(err)) onSessionEnd();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, err) => failures < RETRIES && isPassing(err),
        refetchInterval: ({ state }) => (state.error !== null && isPassing(state.error) ? LOOK_MS : false),
      },
    },
  });
}
