import type { ReactNode } from "react";
import { Link } from "wouter";
import { type ApiKey, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { Card } from "../ui/card.tsx";
import { Chips } from "../ui/chip.tsx";
import { CopyId } from "../ui/copy-id.tsx";
import { Time } from "../ui/time.tsx";
import { ActorLabel } from "./actor-label.tsx";
import { FormatBadge } from "./imported-keys.tsx";
import { limitSentence, userLimitSentence } from "./limit-sentence.ts";
import { MetadataTable } from "./metadata-table.tsx";
import { typeName } from "./status-badge.tsx";

/** The record of a key, without members that are not set. */
export function KeyFacts({ apiKey: key }: { apiKey: ApiKey }) {
  const { rateLimit, rotatedTo, rotatedFrom } = key;
  const oidc = key.publishableConfig?.oidc;
  return (
    <>
      <Card title="About this key">
        <dl className="facts">
          <Fact name="Key">
            <code>{key.keyPrefix}…</code> <span className="quiet">{typeName(key.keyType)}</span>
          </Fact>
          {key.imported && (
            <Fact name="Imported">
              {key.keyFormat ? <FormatBadge apiKey={key} /> : "From another deployment of Latchkey"}
            </Fact>
          )}
          <Fact name="Id">
            <CopyId text={key.keyId} name="key id" />
          </Fact>
          {key.description !== "" && <Fact name="Description">{key.description}</Fact>}
          {key.externalId && (
            <Fact name="Your id">
              <CopyId text={key.externalId} name="your id" />
            </Fact>
          )}
          <Fact name="Last used">
            <Time at={key.lastUsedAt} />
          </Fact>
          <Fact name="Expires">
            <Time at={key.expiresAt} />
          </Fact>
          <Fact name="Created">
            <Time at={key.createdAt} />
            {key.createdBy && (
              <>
                {" by "}
                <ActorLabel actor={key.createdBy} />
              </>
            )}
          </Fact>
          {key.revokedAt && (
            <Fact name="Revoked">
              <Time at={key.revokedAt} />
              {key.revokedBy && (
                <>
                  {" by "}
                  <ActorLabel actor={key.revokedBy} />
                </>
              )}
            </Fact>
          )}
          {rotatedTo && (
            <Fact name="Successor">
              <Link href={`/keys/${rotatedTo}`}>{rotatedTo}</Link>
            </Fact>
          )}
          {rotatedFrom && (
            <Fact name="Predecessor">
              <Link href={`/keys/${rotatedFrom}`}>{rotatedFrom}</Link>
            </Fact>
          )}
        </dl>
      </Card>
      <Card title="What it may do">
        <dl className="facts facts-stacked">
          <Fact name="Scopes">
            <Chips values={key.permissions} />
          </Fact>
          <Fact name="Limit">
            {rateLimit && limitSentence(rateLimit)}
            {rateLimit?.perUser && <span className="block">{userLimitSentence(rateLimit.perUser)}</span>}
          </Fact>
          {key.allowedIps.length > 0 && (
            <Fact name="Addresses">
              <Chips values={key.allowedIps} />
            </Fact>
          )}
          {key.allowedOrigins.length > 0 && (
            <Fact name="Origins">
              <Chips values={key.allowedOrigins} />
            </Fact>
          )}
          {key.keyType === KeyType.SECRET && key.allowBrowser === true && (
            <Fact name="Browsers">Allowed, though it is a secret key</Fact>
          )}
          {oidc && (
            <>
              <Fact name="Issuer">{oidc.issuer}</Fact>
              <Fact name="Audience">{oidc.audience}</Fact>
              <Fact name="Key set">{oidc.jwksUrl}</Fact>
              {oidc.userIdPrefix && <Fact name="Prefix of user ids">{oidc.userIdPrefix}</Fact>}
            </>
          )}
        </dl>
      </Card>
      {key.metadata && (
        <Card title="Metadata">
          <MetadataTable metadata={key.metadata} />
        </Card>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
