import type { JsonObject } from "@bufbuild/protobuf";

/** What a tenant keeps with a key, a row for each member. */
export function MetadataTable({ metadata }: { metadata: JsonObject }) {
  return (
    <table className="metadata">
      <thead className="hidden">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(metadata).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{typeof value === "string" ? value : <code>{JSON.stringify(value)}</code>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
