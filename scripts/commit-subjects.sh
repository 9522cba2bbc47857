#!/usr/bin/env bash
# Fails for a commit since this rule whose subject is not `area: verb object` of at most 72 characters.
set -euo pipefail
cd "$(dirname "$0")/.."

rule=53258c8c3a1125029d7785b4e2772af02309c4cb
range=HEAD
# A shallow clone may lack it.
if git cat-file -e "$rule^{commit}" 2>/dev/null; then range="$rule..HEAD"; fi
wrong="$(git log --no-merges --format='%h %s' "$range" | grep -vE '^[0-9a-f]+ [a-z][a-z0-9/., -]*: [^ ]' || true)"
long="$(git log --no-merges --format='%h %s' "$range" | awk '{ subject = substr($0, index($0, " ") + 1) } length(subject) > 72')"
if [ -n "$wrong$long" ]; then
  printf 'Commit subjects must be "area: verb object" of at most 72 characters:\n%s\n' "$wrong${wrong:+${long:+$'\n'}}$long" >&2
  exit 1
fi
