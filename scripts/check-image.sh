#!/usr/bin/env bash
# Starts an image as deploy/ does, without root and privileges, on a read-only root, with 512 MB, and reports its size:
#
#     scripts/check-image.sh <image> [file for its bill of materials]
set -euo pipefail
image=$1 bom=${2:-sbom.cdx.json}

sealed=(--read-only --cap-drop ALL --security-opt no-new-privileges --memory 512m --memory-swap 512m)
container="$(docker run -d "${sealed[@]}" -p 127.0.0.1::8080 "$image")"
trap 'docker rm -f "$container" > /dev/null' EXIT

if ! curl -fsS -o /dev/null --retry 60 --retry-all-errors --retry-delay 1 "http://$(docker port "$container" 8080)/readyz"; then
  docker logs "$container" >&2
  exit 1
fi
user="$(docker exec "$container" id -u)"
if [ "$user" = 0 ]; then echo "The image runs as root." >&2; exit 1; fi
if docker exec "$container" touch /app/x 2> /dev/null; then echo "The image's root can be written." >&2; exit 1; fi

docker stop -t 30 "$container" > /dev/null
status="$(docker inspect -f '{{.State.ExitCode}} {{.State.OOMKilled}}' "$container")"
if [ "$status" != "0 false" ]; then echo "It ended with $status (exit code, out of memory)." >&2; exit 1; fi

docker cp -q "$container:/app/sbom.cdx.json" "$bom"
bytes="$(docker image inspect -f '{{.Size}}' "$image")"
echo "$image: $((bytes / 1000000)) MB; user $user; ready and stopped with a read-only root and 512 MB." |
  tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
