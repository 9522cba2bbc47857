export const LANGUAGES = [
  { value: "curl", label: "curl" },
  { value: "typescript", label: "TypeScript" },
  { value: "python", label: "Python" },
  { value: "go", label: "Go" },
  { value: "swift", label: "Swift" },
] as const;

export type Language = (typeof LANGUAGES)[number]["value"];

interface SnippetKey {
  /** The service's address. */
  readonly url: string;
  /** The key's value. */
  readonly key: string;
  /** Its requests bring the token of a user, too, in the variable USER_TOKEN. */
  readonly isPublishable: boolean;
}

/** The first request with a key: Verify, which needs no scope. Complete, to be pasted and run. */
export function snippetOf(language: Language, of: SnippetKey): string {
  return SNIPPETS[language](of).trim();
}

const SNIPPETS: Readonly<Record<Language, (of: SnippetKey) => string>> = {
  curl: ({ url, key, isPublishable }) =>
    [
      `curl ${url}/api/v1/auth/verify`,
      `-H 'x-api-key: ${key}'`,
      ...(isPublishable ? ['-H "authorization: Bearer $USER_TOKEN"'] : []),
      "-H 'content-type: application/json' -d '{}'",
    ].join(" \\\n  "),
  typescript: ({ url, key, isPublishable }) => `
import { createLatchkeyClient } from "@latchkey/client";

const client = createLatchkeyClient({
  baseUrl: "${url}",
  apiKey: "${key}",${isPublishable ? `\n  getUserToken: () => process.env.USER_TOKEN ?? "",` : ""}
});
console.log((await client.auth.verify({})).permissions);`,
  python: ({ url, key, isPublishable }) => `
${isPublishable ? "import os\n\n" : ""}from latchkey import Latchkey, ${isPublishable ? "PublishableKey" : "SecretKey"}, v1

key = ${isPublishable ? `PublishableKey("${key}", lambda: os.environ["USER_TOKEN"])` : `SecretKey("${key}")`}
with Latchkey("${url}", key) as client:
    print(client.auth.verify(v1.VerifyRequest()).permissions)`,
  go: ({ url, key, isPublishable }) => `
package main

import (
	"context"
	"fmt"
	"log"${isPublishable ? '\n\t"os"' : ""}

	"latchkey.example/latchkey"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

func main() {
${
  isPublishable
    ? `	userToken := func(context.Context) (string, error) { return os.Getenv("USER_TOKEN"), nil }
	client, err := latchkey.New("${url}", latchkey.PublishableKey("${key}", userToken))`
    : `	client, err := latchkey.New("${url}", latchkey.SecretKey("${key}"))`
}
	if err != nil {
		log.Fatal(err)
	}
	caller, err := client.Auth.Verify(context.Background(), &latchkeyv1.VerifyRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(caller.GetPermissions())
}`,
  swift: ({ url, key, isPublishable }) => `
import Foundation
import Latchkey

let client = try LatchkeyClient(
    baseURL: "${url}",
    credentials: ${
      isPublishable
        ? `.publishableKey("${key}") { _ in ProcessInfo.processInfo.environment["USER_TOKEN"] ?? "" }`
        : `.secretKey("${key}")`
    }
)
print(try await client.auth.verify().permissions)`,
};
