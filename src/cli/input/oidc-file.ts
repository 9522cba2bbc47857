import { fromJsonString } from "@bufbuild/protobuf";
import { type OidcConfig, OidcConfigSchema } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { UsageError } from "../exit-status.ts";
import { readText } from "./secret-source.ts";

/** A publishable key's `oidc`, as the API's JSON has it, from a file or from stdin. */
export function readOidc(path: string): OidcConfig {
  try {
    return fromJsonString(OidcConfigSchema, readText(path, "--oidc-file"));
  } catch (err) {
    if (err instanceof UsageError) throw err;
    const reason = err instanceof Error ? err.message : String(err);
    throw new UsageError(
      `--oidc-file is not the JSON of an OidcConfig, such as {"issuer":"…","audience":"…"}: ${reason}`,
    );
  }
}
