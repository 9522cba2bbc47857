import { secretPrefix, withoutBrand } from "../credentials/secret.ts";
import { hashOfKey } from "../key-formats/any-key.ts";
import { shownPrefix } from "../key-formats/compiled.ts";
import type { ForeignKeys } from "../key-formats/foreign-keys.ts";
import type { Page, PageRequest } from "../vocabulary/page.ts";
import { faultOf, invalid } from "../vocabulary/request-fault.ts";
import type { KeyDetails } from "./key-details.ts";
import type { KeySearch, KeyStore } from "./key-store.ts";
import { isPossibleKeyId, keyNotFound, possibleKeyId, refuseKeyAsId } from "./read.ts";

/** The members of a request that searches for keys, empty where they are not given. */
export interface KeySearchFields {
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly key: string;
}

const PREFIX = /^[sp]k_[0-9A-Za-z]{3,36}$/;

/** Reads a search: exactly one of the three members. Throws `RequestFault`. */
export async function keySearch(
  { foreignKeys }: { readonly foreignKeys: Pick<ForeignKeys, "hashOf" | "compiled"> },
  { keyId, keyPrefix, key }: KeySearchFields,
): Promise<KeySearch> {
  if ([keyId, keyPrefix, key].filter((text) => text !== "").length !== 1) {
    throw faultOf(
      "one_of_required",
      "key_id",
      "is required, or instead of it either key_prefix or key: exactly one of the three",
    );
  }
  if (keyId !== "") return { by: "id", keyId };
  if (key !== "") {
    const secretHash = await hashOfKey(foreignKeys, key);
    if (secretHash !== undefined) return { by: "secret", secretHash };
    throw invalid(
      "key",
      "is not an API key of this service and fits no key format: a character is wrong or missing; search by its key_prefix",
    );
  }
  if (PREFIX.test(withoutBrand(keyPrefix))) return { by: "prefix", prefix: secretPrefix(keyPrefix) };
  const format = (await foreignKeys.compiled()).begunBy(keyPrefix);
  if (format !== undefined) return { by: "prefix", prefix: secretPrefix(shownPrefix(format, keyPrefix)) };
  throw invalid(
    "key_prefix",
    "must be the beginning of a key: sk_ or pk_ and 3 to 36 letters and digits, or the prefix of a key format",
  );
}

export async function findKeys(
  { keys }: { readonly keys: Pick<KeyStore, "searchKeys"> },
  search: KeySearch,
  page: PageRequest,
): Promise<Page<KeyDetails>> {
  if (search.by === "id") {
    refuseKeyAsId(search.keyId);
    if (!isPossibleKeyId(search.keyId)) return { items: [], total: 0 };
  }
  return keys.searchKeys(search, page);
}

/** The tenant of a key. Throws `keyNotFound`. */
export async function tenantOfKey(
  { keys }: { readonly keys: Pick<KeyStore, "searchKeys"> },
  keyId: string,
): Promise<string> {
  const { items } = await keys.searchKeys({ by: "id", keyId: possibleKeyId(keyId) }, { page: 1, perPage: 1 });
  const [key] = items;
  if (key === undefined) throw keyNotFound();
  return key.tenantId;
}
