#!/usr/bin/env bash
# Every check but the tests. Needs what `npm ci` installs.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/commit-subjects.sh
npm run lint
npm run types
npm run lint:proto
node scripts/client-sizes.mjs

# Generated code and documents are committed: generating them again must change nothing.
npm run generate
changes="$(git status --porcelain -- gen third_party docs/errors.md docs/authorization.md docs/guides/pictures docs/guides/other-languages.md docs/reference clients/typescript/src/gen clients/typescript/proto clients/swift/Sources/Latchkey/Generated examples/plans/gen)"
if [ -n "$changes" ]; then
  printf 'Generated files differ; run npm run generate and commit:\n%s\n' "$changes" >&2
  exit 1
fi
