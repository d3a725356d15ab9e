#!/bin/sh
# Installs the packages missing on this Debian 12 machine, from cmake/packages.txt and the given lists. Runs as root,
# or through sudo.
set -eu
missing=
for package in $(grep -hv '^#' "$(dirname "$0")/packages.txt" "$@"); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
echo "Installing:$missing"
if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
$as_root apt-get update -qq
# The list is meant to be split into words.
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
