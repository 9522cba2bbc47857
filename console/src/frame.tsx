import { lazy, Suspense, useEffect, useRef } from "react";
import { Link, Redirect, Route, Router, Switch, useLocation } from "wouter";
import { type Caller, useCaller } from "./api/caller.tsx";
import { ConversationPage } from "./conversations/conversation-page.tsx";
import { ConversationsPage } from "./conversations/conversations-page.tsx";
import { KeyPage } from "./keys/key-page.tsx";
import { KeysPage } from "./keys/keys-page.tsx";
import { NewKeyPage } from "./keys/new-key-page.tsx";
import { InvitationPage } from "./members/invitation-page.tsx";
import { MembersPage } from "./members/members-page.tsx";
import { Account } from "./orgs/account.tsx";
import { FirstOrgPage } from "./orgs/first-org-page.tsx";
import { Loading } from "./ui/states.tsx";

/** The pages, with the scope that their data needs. Those with charts and with events are loaded when they are first visited. */
const PAGES = [
  {
    path: "/keys",
    name: "Keys",
    scope: "api_keys:read",
    Page: KeysPage,
  },
  {
    path: "/keys/new",
    scope: "api_keys:write",
    Page: NewKeyPage,
  },
  {
    path: "/keys/:keyId",
    scope: "api_keys:read",
    Page: KeyPage,
  },
  {
    path: "/usage",
    name: "Usage",
    scope: "api_keys:read",
    Page: lazy(async () => ({ default: (await import("./usage/usage-page.tsx")).UsagePage })),
  },
  {
    path: "/activity",
    name: "Activity",
    scope: "audit:read",
    Page: lazy(async () => ({ default: (await import("./audit/audit-page.tsx")).AuditPage })),
  },
  {
    path: "/members",
    name: "Members",
    scope: "org:read",
    Page: MembersPage,
  },
  {
    path: "/conversations",
    name: "Conversations",
    scope: "conversations:read",
    Page: ConversationsPage,
  },
  {
    path: "/conversations/:threadId",
    scope: "conversations:read",
    Page: ConversationPage,
  },
];

/** Navigation, account and the page of the current path. */
export function Frame() {
  const caller = useCaller();
  return (
    <Router base="/console">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="top">
        <Link className="brand" href="/">
          Latchkey
        </Link>
        <Navigation pages={pagesFor(caller)} />
        <Account />
      </header>
      <Content />
    </Router>
  );
}

function pagesFor({ tenantId, may }: Caller) {
  return tenantId === "" ? [] : PAGES.filter(({ scope }) => may(scope));
}

function Navigation({ pages }: { pages: typeof PAGES }) {
  const [location] = useLocation();
  return (
    <nav className="navigation" aria-label="Console">
      {pages.map(
        ({ path, name }) =>
          name && (
            <Link key={path} href={path} aria-current={location.startsWith(path) ? "page" : undefined}>
              {name}
            </Link>
          ),
      )}
    </nav>
  );
}

function Content() {
  const caller = useCaller();
  const pages = pagesFor(caller);
  const [location] = useLocation();
  const content = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // A page that is changed by a script leaves the focus on a link that may be gone: readers would not learn of the new page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the location is what changes
  useEffect(() => {
    if (!isFirst.current) content.current?.focus();
    isFirst.current = false;
  }, [location]);
  const [first] = pages;
  return (
    <main id="content" className="content" ref={content} tabIndex={-1}>
      <Suspense fallback={<Loading what="the page" />}>
        <Switch>
          <Route path="/invitation">
            <InvitationPage />
          </Route>
          {caller.tenantId === "" && (
            <Route>
              <FirstOrgPage />
            </Route>
          )}
          {PAGES.map(({ path, scope, Page }) => (
            <Route key={path} path={path}>
              {caller.may(scope) ? <Page /> : <NotHere />}
            </Route>
          ))}
          {first && (
            <Route path="/">
              <Redirect to={first.path} replace />
            </Route>
          )}
          <Route>
            <NotHere />
          </Route>
        </Switch>
      </Suspense>
    </main>
  );
}

function NotHere() {
  return (
    <div className="state">
      <h1>Nothing here</h1>
      <p>This page does not exist, or your role does not include it.</p>
    </div>
  );
}
