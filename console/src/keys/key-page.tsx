import { useQuery } from "@connectrpc/connect-query";
import { lazy, Suspense, useRef } from "react";
import { useParams } from "wouter";
import { type ApiKey, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import "../styles/key-page.css";
import "../styles/keys.css";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Menu } from "../ui/menu.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { refreshMs } from "../usage/refresh.ts";
import { Explanation } from "./explanation.tsx";
import { FirstCall } from "./first-call.tsx";
import { useKeyActions } from "./key-actions.ts";
import { KeyBanners } from "./key-banners.tsx";
import { useKeyDialogs } from "./key-dialogs.tsx";
import { KeyFacts } from "./key-facts.tsx";
import { KeyBadges } from "./status-badge.tsx";
import { TokenCheck } from "./token-check.tsx";

// Charts and sentences of events are loaded after the key itself.
const KeyUsage = lazy(async () => ({ default: (await import("../usage/key-usage.tsx")).KeyUsage }));
const KeyActivity = lazy(async () => ({ default: (await import("./key-activity.tsx")).KeyActivity }));
const RecentRequests = lazy(async () => ({
  default: (await import("../requests/recent-requests.tsx")).RecentRequests,
}));

const KeyTokens = lazy(async () => ({ default: (await import("../tokens/key-tokens.tsx")).KeyTokens }));

/** Ms until the record is loaded again: soon after the first use, which the counters show first. */
const REFRESH_MS = 30_000;
const FIRST_USE_MS = 1_000;

/** One key: what it is, what it may do, how it is used, and what can be done with it. */
export function KeyPage() {
  const { keyId = "" } = useParams();
  const usage = useQuery(
    ApiKeyService.method.getApiKeyUsage,
    { keyId },
    { refetchInterval: ({ state }) => refreshMs(state.data?.result) },
  );
  const isUsed = (usage.data?.result?.totalVerifications ?? 0) > 0;
  const query = useQuery(
    ApiKeyService.method.getApiKey,
    { keyId },
    {
      refetchInterval: ({ state }) =>
        isUsed && state.data?.result?.lastUsedAt === undefined ? FIRST_USE_MS : REFRESH_MS,
    },
  );
  const { open, dialog } = useKeyDialogs();
  return (
    <>
      <Loaded query={query} what="the key" skeleton={<Skeleton what="the key" kind="card" rows={6} />}>
        {({ result }) => result && <Key apiKey={result} onOpen={open} />}
      </Loaded>
      {dialog}
    </>
  );
}

interface KeyProps {
  readonly apiKey: ApiKey;
  readonly onOpen: ReturnType<typeof useKeyDialogs>["open"];
}

function Key({ apiKey: key, onOpen }: KeyProps) {
  const { may } = useCaller();
  const { keyId } = key;
  return (
    <>
      <PageHeader title={key.name} badge={<KeyBadges apiKey={key} />} back={{ href: "/keys", label: "Keys" }}>
        <Actions apiKey={key} onOpen={onOpen} />
      </PageHeader>
      <KeyBanners apiKey={key} />
      <div className="key-columns">
        <div className="key-column">
          <Suspense fallback={<Skeleton what="usage" kind="card" rows={5} />}>
            <KeyUsage keyId={keyId} unused={<FirstCall apiKey={key} />} />
          </Suspense>
          {may("usage:read") && (
            <Suspense fallback={<Skeleton what="requests" kind="card" rows={5} />}>
              <RecentRequests keyId={keyId} />
            </Suspense>
          )}
          {key.keyType === KeyType.SECRET && (
            <Suspense fallback={<Skeleton what="tokens" kind="card" />}>
              <KeyTokens apiKey={key} />
            </Suspense>
          )}
          <Explanation apiKey={key} />
          {key.keyType === KeyType.PUBLISHABLE && key.publishableConfig?.oidc !== undefined && (
            <Card title="Try a user's token">
              <TokenCheck keyId={keyId} />
            </Card>
          )}
        </div>
        <div className="key-column">
          <KeyFacts apiKey={key} />
          {may("audit:read") && (
            <Suspense fallback={<Skeleton what="the activity" kind="card" />}>
              <KeyActivity keyId={keyId} />
            </Suspense>
          )}
        </div>
      </div>
    </>
  );
}

/** The first two as buttons, the others in a menu. */
function Actions({ apiKey: key, onOpen }: KeyProps) {
  const menu = useRef<HTMLButtonElement>(null);
  const actions = useKeyActions(key, (dialog) => onOpen(key, dialog, menu.current));
  const shown = actions.filter(({ label }) => SHOWN.includes(label));
  const others = actions.filter(({ label }) => !SHOWN.includes(label));
  if (actions.length === 0) return null;
  return (
    <>
      {shown.map(({ label, icon: Icon, onSelect }) => (
        <Button key={label} onClick={onSelect}>
          <Icon />
          {label}
        </Button>
      ))}
      <Menu label="More actions" actions={others} triggerRef={menu} />
    </>
  );
}

const SHOWN = ["Edit", "Rotate", "Enable"];
