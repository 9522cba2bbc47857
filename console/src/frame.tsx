import { type ComponentType, lazy, Suspense, useEffect, useRef } from "react";
import { Redirect, Route, Router, Switch, useLocation } from "wouter";
import { type Caller, useCaller } from "./api/caller.tsx";
import { Sidebar } from "./sidebar.tsx";
import { preloadDialogs } from "./ui/dialog.tsx";
import {
  ChartColumn,
  History,
  type Icon,
  KeyRound,
  LayoutDashboard,
  ListTree,
  MessagesSquare,
  Users,
  Webhook,
  Workflow,
} from "./ui/icons.tsx";
import { askFirst } from "./ui/navigation-guards.ts";
import { NotHere } from "./ui/not-here.tsx";
import { Skeleton } from "./ui/skeleton.tsx";
import { useFocusKept } from "./ui/use-focus-kept.ts";

/** A page of the console. Each is loaded when it is first visited. */
export interface PageEntry {
  readonly path: string;
  /** In the navigation, with the icon. Undefined: reached from another page. */
  readonly name?: string;
  readonly icon?: Icon;
  /** The scope that its data needs: without it the page is not there. */
  readonly scope: string;
  readonly Page: ComponentType;
}

// One file each, which is named once here: the frame is loaded first, and each name in it is a part of that.
const conversations = () => import("./conversations/index.ts");
const keys = () => import("./keys/index.ts");
const keyForms = () => import("./keys/form-pages.ts");
const webhooks = () => import("./webhooks/index.ts");
const workloads = () => import("./workloads/index.ts");

/** In the order of the navigation. `/` leads to the first that the caller may see. */
const PAGES: readonly PageEntry[] = [
  {
    path: "/",
    name: "Overview",
    icon: LayoutDashboard,
    scope: "api_keys:read",
    Page: lazy(async () => ({ default: (await import("./overview/overview-page.tsx")).OverviewPage })),
  },
  {
    path: "/keys",
    name: "Keys",
    icon: KeyRound,
    scope: "api_keys:read",
    Page: lazy(async () => ({ default: (await keys()).KeysPage })),
  },
  {
    path: "/keys/new",
    scope: "api_keys:write",
    Page: lazy(async () => ({ default: (await keyForms()).NewKeyPage })),
  },
  {
    path: "/keys/:keyId",
    scope: "api_keys:read",
    Page: lazy(async () => ({ default: (await keys()).KeyPage })),
  },
  {
    path: "/keys/:keyId/edit",
    scope: "api_keys:write",
    Page: lazy(async () => ({ default: (await keyForms()).EditKeyPage })),
  },
  {
    path: "/workloads",
    name: "Workloads",
    icon: Workflow,
    scope: "api_keys:admin",
    Page: lazy(async () => ({ default: (await workloads()).WorkloadsPage })),
  },
  {
    path: "/workloads/new",
    scope: "api_keys:admin",
    Page: lazy(async () => ({ default: (await workloads()).NewRulePage })),
  },
  {
    path: "/workloads/:ruleId",
    scope: "api_keys:admin",
    Page: lazy(async () => ({ default: (await workloads()).RulePage })),
  },
  {
    path: "/workloads/:ruleId/edit",
    scope: "api_keys:admin",
    Page: lazy(async () => ({ default: (await workloads()).EditRulePage })),
  },
  {
    path: "/usage",
    name: "Usage",
    icon: ChartColumn,
    scope: "usage:read",
    Page: lazy(async () => ({ default: (await import("./usage/usage-page.tsx")).UsagePage })),
  },
  {
    path: "/requests",
    name: "Requests",
    icon: ListTree,
    scope: "usage:read",
    Page: lazy(async () => ({ default: (await import("./requests/requests-page.tsx")).RequestsPage })),
  },
  {
    path: "/activity",
    name: "Activity",
    icon: History,
    scope: "audit:read",
    Page: lazy(async () => ({ default: (await import("./audit/audit-page.tsx")).AuditPage })),
  },
  {
    path: "/members",
    name: "Members",
    icon: Users,
    scope: "org:read",
    Page: lazy(async () => ({ default: (await import("./members/members-page.tsx")).MembersPage })),
  },
  {
    path: "/webhooks",
    name: "Webhooks",
    icon: Webhook,
    scope: "webhooks:read",
    Page: lazy(async () => ({ default: (await webhooks()).WebhooksPage })),
  },
  {
    path: "/webhooks/:webhookId",
    scope: "webhooks:read",
    Page: lazy(async () => ({ default: (await webhooks()).WebhookPage })),
  },
  {
    path: "/conversations",
    name: "Conversations",
    icon: MessagesSquare,
    scope: "conversations:read",
    Page: lazy(async () => ({ default: (await conversations()).ConversationsPage })),
  },
  {
    path: "/conversations/:threadId",
    scope: "conversations:read",
    Page: lazy(async () => ({ default: (await conversations()).ConversationPage })),
  },
  {
    // Not in the navigation: `*` includes the scope only in the operator's own tenant, which only a call finds out.
    path: "/operator",
    scope: "system:*",
    Page: lazy(async () => ({ default: (await import("./operator/operator-page.tsx")).OperatorPage })),
  },
];

const InvitationPage = lazy(async () => ({ default: (await import("./members/invitation-page.tsx")).InvitationPage }));
const FirstOrgPage = lazy(async () => ({ default: (await import("./orgs/first-org-page.tsx")).FirstOrgPage }));
/** Navigation, account and the page of the current path. */
export function Frame() {
  useEffect(preloadDialogs, []);
  const pages = pagesFor(useCaller());
  return (
    <Router base="/console" aroundNav={askFirst}>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <div className="frame">
        <Sidebar pages={pages} />
        <Content pages={pages} />
      </div>
    </Router>
  );
}

function pagesFor({ tenantId, may }: Caller): readonly PageEntry[] {
  return tenantId === "" ? [] : PAGES.filter(({ scope }) => may(scope));
}

function Content({ pages }: { pages: readonly PageEntry[] }) {
  const caller = useCaller();
  const [location] = useLocation();
  const content = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // A page that is changed by a script leaves the focus on a link that may be gone: readers would not learn of the new page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the location is what changes
  useEffect(() => {
    if (!isFirst.current) content.current?.focus();
    isFirst.current = false;
  }, [location]);
  useFocusKept(content);
  const [first] = pages;
  return (
    <main id="content" className="content" ref={content} tabIndex={-1}>
      <Suspense fallback={<Skeleton what="the page" kind="card" />}>
        <Switch>
          <Route path="/invitation">
            <InvitationPage />
          </Route>
          {caller.tenantId === "" && (
            <Route>
              <FirstOrgPage />
            </Route>
          )}
          {first && first.path !== "/" && (
            <Route path="/">
              <Redirect to={first.path} replace />
            </Route>
          )}
          {/* All of them, so that `/keys/new` is not the key `new` for who may not create one. */}
          {PAGES.map(({ path, scope, Page }) => (
            <Route key={path} path={path}>
              {caller.may(scope) ? <Page /> : <NotHere />}
            </Route>
          ))}
          <Route>
            <NotHere />
          </Route>
        </Switch>
      </Suspense>
    </main>
  );
}
