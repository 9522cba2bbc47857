#!/bin/sh
# Runs a command in a root folder, where this machine's programs and libraries are mounted, read-only, in place of the base
# image. To be started by `unshare --mount`, as root; it is replaced by the command, which so has its process id.
#
#   container.sh <root> <work directory> <node's folder> <npm's folder> build <command...>
#   container.sh <root> <work directory> <node's folder> <npm's folder> <uid>:<gid> <volume> <folder of it> <command...>
#
# "build" is root and may write. Otherwise: that user, no privileges, nothing writable but the volume.
set -eu
root=$1 workdir=$2 node=$3 npm=$4 user=$5
shift 5

mount --make-rprivate /
mount --bind "$root" "$root"
for name in usr bin sbin lib lib32 lib64 etc dev; do
  [ -e "/$name" ] || continue
  if [ -L "/$name" ]; then
    [ -L "$root/$name" ] || cp -P "/$name" "$root/$name"
  else
    mkdir -p "$root/$name"
    mount --bind "/$name" "$root/$name"
    [ "$name" = dev ] || mount -o remount,bind,ro "$root/$name"
  fi
done
mkdir -p "$root/proc" "$root/tmp" "$root$workdir"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/usr/local"
mkdir -p "$root/usr/local/bin" "$root/usr/local/lib/node_modules/npm"
touch "$root/usr/local/bin/node"
mount --bind "$node" "$root/usr/local/bin/node"
mount --bind "$npm" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"

inside='cd "$0"; exec "$@"'
if [ "$user" = build ]; then
  exec chroot "$root" /bin/sh -c "$inside" "$workdir" "$@"
fi
volume=$1 folder=$2
shift 2
mount --bind "$folder" "$root$volume"
mount -o remount,bind,ro "$root"
mount -o remount,ro "$root/usr/local"
exec chroot "$root" setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups --bounding-set=-all --inh-caps=-all \
  --no-new-privs /bin/sh -c "$inside" "$workdir" "$@"
