#!/bin/sh
# Starts nginx on PORT, with its files in a folder below FOLDER. Its configuration cannot read the environment, so the
# values are written into a copy of it. `exec`: the process that was started is the one to measure.
set -eu
sources=$(cd "$(dirname "$0")" && pwd)
prefix="$FOLDER/nginx-$PORT"
mkdir -p "$prefix"
sed -e "s|@PORT@|$PORT|" -e "s|@SOURCES@|$sources|" -e "s|@MODULES@|$MODULES|" "$sources/nginx.conf" > "$prefix/nginx.conf"
exec nginx -p "$prefix" -c "$prefix/nginx.conf" -e stderr
