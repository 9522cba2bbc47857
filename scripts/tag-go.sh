#!/usr/bin/env bash
# Publishes the Go module and the one in it for grpc-go, as they are in HEAD: Go reads the version of a module in a folder from a tag
# that begins with the folder.
#
#     scripts/tag-go.sh <repository> <version>
#
# Nothing is forced, and Go's checksum database keeps the first commit that a version had: it is never changed.
set -euo pipefail
repository=$1 version=$2
cd "$(dirname "$0")/.."
tag="clients/go/v$version" grpc_tag="clients/go/grpcguard/v$version"

if ! git show HEAD:clients/go/version.go | grep -qF "\"$version\""; then
  echo "The module in HEAD has another version than $version." >&2
  exit 1
fi
if [ -n "$(git ls-remote "$repository" "refs/tags/$tag")" ]; then
  echo "$tag is published already; release the next version." >&2
  exit 1
fi
git push -q --atomic "$repository" "HEAD:refs/tags/$tag" "HEAD:refs/tags/$grpc_tag"
