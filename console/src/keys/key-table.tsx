import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useRef } from "react";
import { Link } from "wouter";
import { type ApiKey, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Badge } from "../ui/badge.tsx";
import { Chips } from "../ui/chip.tsx";
import { Menu } from "../ui/menu.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Time } from "../ui/time.tsx";
import { useKeyActions } from "./key-actions.ts";
import type { OpenKeyDialog } from "./key-dialogs.tsx";
import { Sparkline } from "./sparkline.tsx";
import { KeyBadges } from "./status-badge.tsx";

const SHOWN_SCOPES = 2;
const WEEK_MS = 604_800_000;

/** A row for each key, in one line; on a narrow page a card. */
export function KeyTable({ keys, onOpen }: { keys: readonly ApiKey[]; onOpen: OpenKeyDialog }) {
  const { may } = useCaller();
  return (
    <ScrollRegion label="Keys" className="key-table">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Key</th>
            <th scope="col">Scopes</th>
            <th scope="col">7 days</th>
            <th scope="col">Last used</th>
            <th scope="col">Status</th>
            {may("api_keys:write") && (
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <Row key={key.keyId} apiKey={key} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Row({ apiKey: key, onOpen }: { apiKey: ApiKey; onOpen: OpenKeyDialog }) {
  const trigger = useRef<HTMLButtonElement>(null);
  const actions = useKeyActions(key, (dialog) => onOpen(key, dialog, trigger.current));
  const isUsed = key.lastUsedAt !== undefined && Date.now() - timestampDate(key.lastUsedAt).getTime() < WEEK_MS;
  return (
    <tr>
      <th scope="row" className="key-name">
        <Link href={`/keys/${key.keyId}`} title={key.description || undefined}>
          {key.name}
        </Link>
      </th>
      <td className="key-prefix">
        <code>{key.keyPrefix}…</code>
        {key.keyType === KeyType.PUBLISHABLE && <Badge>Publishable</Badge>}
      </td>
      <td className="key-scopes">
        <Chips values={key.permissions} shown={Math.min(SHOWN_SCOPES, key.permissions.length)} />
      </td>
      <td className="key-days">
        <Sparkline keyId={key.keyId} isUsed={isUsed} />
      </td>
      <td className="key-used">
        <span className="card-only">Last used </span>
        <Time at={key.lastUsedAt} />
      </td>
      <td className="key-status">
        <span className="badges">
          <KeyBadges apiKey={key} />
        </span>
      </td>
      {actions.length > 0 && (
        <td className="key-menu">
          <Menu label={`Actions of ${key.name}`} actions={actions} triggerRef={trigger} />
        </td>
      )}
    </tr>
  );
}
