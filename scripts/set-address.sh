#!/usr/bin/env bash
# Writes the project's address on its forge into every package, in place of the one that package.json has:
#
#     scripts/set-address.sh forge.example/team/latchkey
#
# Go finds a module in a folder by the address and the folder. What is generated must be generated anew afterwards.
set -euo pipefail
to=$1
cd "$(dirname "$0")/.."
from="$(sed -n 's#^  "homepage": "https://\(.*\)",$#\1#p' package.json)"
pattern="${from//./\\.}"
git grep -lF "$from" -- clients deploy docs/guides package.json buf.gen.go.yaml |
  xargs sed -i -E -e "s#https://$pattern#https://$to#g" -e "s#(^|[^/])$pattern(/clients/go)?#\1$to/clients/go#g"
