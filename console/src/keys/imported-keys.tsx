import { Link } from "wouter";
import type { ApiKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { Field } from "../ui/field.tsx";
import { ANY_FORMAT, type FilterState } from "./key-filters.ts";

/** Marks a key that another system has issued, and leads to the others of its format. */
export function FormatBadge({ apiKey: { keyFormat } }: { apiKey: ApiKey }) {
  return (
    <Link className="format-badge" href={`/keys?imported=${encodeURIComponent(keyFormat || ANY_FORMAT)}`}>
      <Badge tone="info" title="Issued by another system">
        {keyFormat || "Imported"}
      </Badge>
    </Link>
  );
}

/** Above the list of imported keys: the steps that follow an import. */
export function ImportedKeys({ filters: { values, set } }: { filters: FilterState }) {
  return (
    <Banner
      tone="info"
      title="Another system issued these keys"
      actions={
        <Field
          label="Not used since"
          type="date"
          value={values.since}
          onChange={(since) => set({ since, status: since === "" ? "" : "active" })}
        />
      }
    >
      <ol className="import-steps">
        <li>Let Latchkey decide about your calls. The keys keep working as they are.</li>
        <li>Later, list the active keys that were not used since then.</li>
        <li>Ask their owners, then revoke them. Rotate the others whenever it suits you.</li>
      </ol>
    </Banner>
  );
}
