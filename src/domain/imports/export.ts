import type { Act } from "../audit/event.ts";
import type { ForeignKeys } from "../key-formats/foreign-keys.ts";
import type { KeyDetails } from "../keys/key-details.ts";
import { foreignToken } from "../vocabulary/page.ts";
import type { ImportStore } from "./import-store.ts";

export interface ExportContext {
  readonly imports: ImportStore;
  readonly foreignKeys: Pick<ForeignKeys, "compiled">;
}

/** A key with all that another system needs to take it over. */
export interface ExportedKey {
  readonly details: KeyDetails;
  /** `digest`: in hex. `algorithm`: empty if the key has ended and its format was deleted. */
  readonly hash: { readonly algorithm: string; readonly digest: string; readonly pepper: string };
  readonly publicPart: string | null;
}

interface AskedExport {
  readonly perPage: number;
  readonly pageToken: string;
}

const PER_PAGE_DEFAULT = 100;
const PER_PAGE_MAX = 1_000;
/** Not that of another list. */
const TOKEN = /^export\.(\d{1,15})$/;

/** One page of the keys of all tenants. */
export async function exportKeys(
  { imports, foreignKeys }: ExportContext,
  { perPage, pageToken }: AskedExport,
  act: Act,
): Promise<{ keys: readonly ExportedKey[]; nextPageToken: string }> {
  const most = Math.min(perPage || PER_PAGE_DEFAULT, PER_PAGE_MAX);
  const formats = await foreignKeys.compiled();
  const stored = await imports.exportKeys({ after: placeOf(pageToken), most }, act);
  const last = stored.length === most ? stored.at(-1) : undefined;
  const keys = stored.map(({ details, secretHash, digest, publicPart }) => {
    const name = details.imported?.keyFormat ?? "";
    const { algorithm = "", pepper = "" } = name === "" ? OWN : (formats.named(name)?.format ?? {});
    const bytes = digest ?? Buffer.from(secretHash, "base64url");
    return { details, publicPart, hash: { algorithm, digest: Buffer.from(bytes).toString("hex"), pepper } };
  });
  return { keys, nextPageToken: last === undefined ? "" : tokenOf(last.seq) };
}

/** Keys of this service. */
const OWN = { algorithm: "SHA256", pepper: "" };

function placeOf(pageToken: string): number {
  if (pageToken === "") return 0;
  const [, seq] = TOKEN.exec(Buffer.from(pageToken, "base64url").toString()) ?? [];
  if (seq === undefined) throw foreignToken();
  return Number(seq);
}

function tokenOf(seq: number): string {
  return Buffer.from(`export.${seq}`).toString("base64url");
}
