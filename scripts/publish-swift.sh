#!/usr/bin/env bash
# Publishes the Swift package, as it is in HEAD, to a repository of its own, since Swift's package manager takes no subfolder:
#
#     scripts/publish-swift.sh <repository> <version>
#
# A release is one commit on main and a tag of the version. Nothing is forced, so what was published is never changed.
set -euo pipefail
repository=$1 version=$2
cd "$(dirname "$0")/.."

if ! git show HEAD:clients/swift/Sources/Latchkey/Version.swift | grep -qF "\"$version\""; then
  echo "The package in HEAD has another version than $version." >&2
  exit 1
fi
if [ -n "$(git ls-remote "$repository" "refs/tags/$version")" ]; then
  echo "$version is published already; release the next version." >&2
  exit 1
fi

parent="$(git ls-remote "$repository" refs/heads/main | cut -f 1)"
if [ -n "$parent" ]; then git fetch -q "$repository" refs/heads/main; fi
# By the author of the release's commit, so that no identity needs to be configured.
GIT_AUTHOR_NAME="$(git log -1 --format=%an)" GIT_AUTHOR_EMAIL="$(git log -1 --format=%ae)"
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
commit="$(git commit-tree HEAD:clients/swift ${parent:+-p "$parent"} -m "Latchkey $version" -m "From $(git rev-parse HEAD).")"
git push -q --atomic "$repository" "$commit:refs/heads/main" "$commit:refs/tags/$version"
