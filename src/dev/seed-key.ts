interface SeededKey {
  readonly key_id: string;
  readonly key: string;
}

/** Creates a key through the API itself, exactly as a developer would. */
export async function seedKey(url: string, token: string, fields: object): Promise<SeededKey> {
  const response = await fetch(`${url}/api/v1/api-keys/create`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(fields),
  });
  if (!response.ok) throw new Error(`a first key could not be created: ${await response.text()}`);
  // Our own service's answer, whose shape the contract fixes.
  const { result } = (await response.json()) as { result: SeededKey };
  return result;
}
