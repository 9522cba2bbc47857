import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ApiKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import type { Actor } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import { Time } from "../ui/time.tsx";
import { limitSentence, userLimitSentence } from "./limit-sentence.ts";
import { typeName } from "./status-badge.tsx";

/** The record of a key. What is not set is left out. */
export function KeyFacts({ apiKey: key }: { apiKey: ApiKey }) {
  const { rateLimit, rotatedTo, rotatedFrom, leakedAt } = key;
  const oidc = key.publishableConfig?.oidc;
  return (
    <dl className="facts">
      <Fact name="Key">
        <code>{key.keyPrefix}…</code> <span className="quiet">{typeName(key.keyType)}</span>
      </Fact>
      <Fact name="Id">
        <code>{key.keyId}</code>
      </Fact>
      {key.description !== "" && <Fact name="Description">{key.description}</Fact>}
      {key.externalId && <Fact name="Your id">{key.externalId}</Fact>}
      <Fact name="Scopes">
        <Lines texts={key.permissions} />
      </Fact>
      <Fact name="Limit">
        {rateLimit && limitSentence(rateLimit)}
        {rateLimit?.perUser && <span className="block">{userLimitSentence(rateLimit.perUser)}</span>}
      </Fact>
      {key.allowedIps.length > 0 && (
        <Fact name="Addresses">
          <Lines texts={key.allowedIps} />
        </Fact>
      )}
      {key.allowedOrigins.length > 0 && (
        <Fact name="Origins">
          <Lines texts={key.allowedOrigins} />
        </Fact>
      )}
      {key.allowBrowser === true && <Fact name="Browsers">Allowed, though it is a secret key</Fact>}
      <Fact name="Last used">
        <Time at={key.lastUsedAt} />
      </Fact>
      <Fact name="Expires">
        <Time at={key.expiresAt} />
      </Fact>
      <Fact name="Created">
        <Time at={key.createdAt} />
        {key.createdBy && ` by ${actorName(key.createdBy)}`}
      </Fact>
      {key.revokedAt && (
        <Fact name="Revoked">
          <Time at={key.revokedAt} />
          {key.revokedBy && ` by ${actorName(key.revokedBy)}`}
        </Fact>
      )}
      {leakedAt && (
        <Fact name="Leaked">
          Reported <Time at={leakedAt} />
          {key.leakUrl && <span className="block">{key.leakUrl}</span>}
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
      {oidc && (
        <>
          <Fact name="Issuer">{oidc.issuer}</Fact>
          <Fact name="Audience">{oidc.audience}</Fact>
          <Fact name="Key set">{oidc.jwksUrl}</Fact>
        </>
      )}
      {key.metadata && (
        <Fact name="Metadata">
          <code>{JSON.stringify(key.metadata)}</code>
        </Fact>
      )}
    </dl>
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

function Lines({ texts }: { texts: readonly string[] }) {
  return texts.map((text) => (
    <code key={text} className="block">
      {text}
    </code>
  ));
}

function actorName({ kind, userId }: Actor): string {
  return userId === "" ? kind.replaceAll("_", " ") : userId;
}
