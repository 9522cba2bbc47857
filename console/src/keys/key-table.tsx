import { useRef } from "react";
import { Link } from "wouter";
import { type ApiKey, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Chips } from "../ui/chip.tsx";
import { Menu } from "../ui/menu.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Time } from "../ui/time.tsx";
import { FormatBadge } from "./imported-keys.tsx";
import { useKeyActions } from "./key-actions.ts";
import type { OpenKeyDialog } from "./key-dialogs.tsx";
import { KeyBadges, typeName } from "./status-badge.tsx";
import { useWeek, WeekOf } from "./week.tsx";

const SHOWN_SCOPES = 2;

/** A row for each key, as wide as the page is; on a narrow page a card. */
export function KeyTable({ keys, onOpen }: { keys: readonly ApiKey[]; onOpen: OpenKeyDialog }) {
  const { may } = useCaller();
  const week = useWeek(keys);
  return (
    <ScrollRegion label="Keys" className="key-table">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Status</th>
            <th scope="col">Scopes</th>
            <th scope="col">7 days</th>
            <th scope="col">Last used</th>
            {may("api_keys:write") && (
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <Row key={key.keyId} apiKey={key} week={week} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

interface RowProps {
  readonly apiKey: ApiKey;
  readonly week: ReturnType<typeof useWeek>;
  readonly onOpen: OpenKeyDialog;
}

function Row({ apiKey: key, week, onOpen }: RowProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const actions = useKeyActions(key, (dialog) => onOpen(key, dialog, trigger.current));
  const { permissions } = key;
  return (
    <tr>
      <th scope="row" className="key-name">
        <Link href={`/keys/${key.keyId}`} title={key.description || key.name}>
          <bdi>{key.name}</bdi>
        </Link>
        <span className="key-prefix">
          <code>{key.keyPrefix}…</code> {key.keyType === KeyType.PUBLISHABLE && typeName(key.keyType)}
          {key.imported && <FormatBadge apiKey={key} />}
        </span>
      </th>
      <td className="key-status">
        <span className="badges">
          <KeyBadges apiKey={key} />
        </span>
      </td>
      <td className="key-scopes">
        <Chips values={permissions} shown={Math.min(SHOWN_SCOPES, permissions.length)} />
        <span className="key-scope-count" title={permissions.join(", ")}>
          {permissions.length === 1 ? "1 scope" : `${permissions.length} scopes`}
        </span>
      </td>
      <td className="key-days">
        <WeekOf apiKey={key} week={week} />
      </td>
      <td className="key-used">
        <span className="card-only">Last used </span>
        <Time at={key.lastUsedAt} />
      </td>
      {actions.length > 0 && (
        <td className="key-menu">
          <Menu label={`Actions of ${key.name}`} actions={actions} triggerRef={trigger} />
        </td>
      )}
    </tr>
  );
}
