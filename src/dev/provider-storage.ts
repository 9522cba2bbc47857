import type { Adapter, AdapterPayload } from "oidc-provider";

/** The provider's records, until the process ends. Expiry is checked by the provider itself. */
export function createProviderStorage(): (model: string) => Adapter {
  const stored = new Map<string, AdapterPayload>();
  /** The keys of everything that belongs to a grant. */
  const grants = new Map<string, Set<string>>();

  return (model) => {
    const keyOf = (id: string): string => `${model} ${id}`;
    const findBy = (member: "uid" | "userCode", value: string): AdapterPayload | undefined =>
      [...stored].find(([key, payload]) => key.startsWith(`${model} `) && payload[member] === value)?.[1];
    return {
      async upsert(id, payload) {
        const key = keyOf(id);
        stored.set(key, payload);
        if (payload.grantId === undefined) return;
        const keys = grants.get(payload.grantId) ?? new Set();
        grants.set(payload.grantId, keys.add(key));
      },
      find: async (id) => stored.get(keyOf(id)),
      findByUid: async (uid) => findBy("uid", uid),
      findByUserCode: async (userCode) => findBy("userCode", userCode),
      async consume(id) {
        const payload = stored.get(keyOf(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1_000);
      },
      destroy: async (id) => void stored.delete(keyOf(id)),
      async revokeByGrantId(grantId) {
        for (const key of grants.get(grantId) ?? []) stored.delete(key);
        grants.delete(grantId);
      },
    };
  };
}
