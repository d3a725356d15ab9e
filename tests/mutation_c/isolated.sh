#!/bin/sh
# isolated.sh FOLDER COMMAND...: runs a program with a mutant, which may write and kill unlike the original. In
# namespaces of its own: only FOLDER can be written, /tmp, /dev and /run are new and temporary, no other process is
# visible and no network. Child processes end with the command. Exits with the command's code; 125 without namespaces.
set -eu
if [ "${1-}" != --inside ]; then
    map=
    [ "$(id -u)" = 0 ] || map=--map-root-user
    exec unshare $map --mount --pid --net --ipc --uts --fork --kill-child --mount-proc sh "$0" --inside "$PWD" "$@"
fi
directory=$2 folder=$3
shift 3
inside() {
    mount --make-rprivate /
    case $folder in
    /tmp/*)
        mount --bind "$folder" /mnt
        mount -t tmpfs none /tmp
        mkdir -p "$folder"
        mount --move /mnt "$folder"
        ;;
    *)
        mount --rbind "$folder" "$folder"
        mount -t tmpfs none /tmp
        ;;
    esac
    dev=$folder/dev
    mkdir -p "$dev"
    mount -t tmpfs none "$dev"
    for node in null zero full random urandom tty; do
        : >"$dev/$node"
        mount --bind "/dev/$node" "$dev/$node"
    done
    mkdir "$dev/shm" "$dev/pts"
    mount -t devpts -o newinstance,ptmxmode=0666 none "$dev/pts"
    ln -s pts/ptmx "$dev/ptmx"
    ln -s /proc/self/fd "$dev/fd"
    ln -s fd/0 "$dev/stdin"
    ln -s fd/1 "$dev/stdout"
    ln -s fd/2 "$dev/stderr"
    mount --rbind "$dev" /dev
    awk '{ print $5 }' /proc/self/mountinfo | while read -r place; do
        case $place in
        "$folder" | "$folder"/* | /dev | /dev/* | /proc | /proc/* | /tmp) ;;
        *) mount -o remount,bind,ro "$place" 2>/dev/null || true ;;
        esac
    done
    [ ! -w / ]
}
inside >&2 || exit 125
cd "$directory"
exec "$@"
