import { useState } from "react";
import { CopyButton } from "../ui/copy-button.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { deriveSnippetOf, LANGUAGES, type Language } from "./snippets.ts";

/** How a program that has the key derives a token. The console cannot: it has no key. */
export function DeriveSnippet() {
  const [language, setLanguage] = useState<Language>("curl");
  const snippet = deriveSnippetOf(language, location.origin);
  return (
    <details className="derive">
      <summary>Derive a token</summary>
      <p className="hint">
        The key derives it, so a program that has the key does. Put the key's value into LATCHKEY_KEY, and name scopes
        that the key has.
      </p>
      <Tabs label="Language" tabs={LANGUAGES} value={language} onChange={setLanguage}>
        <pre className="command">{snippet}</pre>
        <div className="copy">
          <CopyButton text={snippet} label="Copy the code" />
        </div>
      </Tabs>
    </details>
  );
}
