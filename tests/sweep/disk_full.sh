#!/bin/sh
# A disk fills up during a sweep: stored points stay, and the message has the remedy. disk_full.sh ONYX
# The test needs a small file system, a tmpfs, and is skipped (exit 77) without the right to mount one.
set -eu
onyx=$(realpath "$1")
work=$(mktemp -d)
trap 'umount "$work/small" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/small"
mount -t tmpfs -o size=384k none "$work/small" 2>/dev/null || { echo "skipped: no tmpfs can be mounted"; exit 77; }
cd "$work"
sweep() {
    "$onyx" sweep "x(i)=B(i,j)*c(j)" -f B:ss -g B:40x40:0.2:3 -g c:40:0.5:5 --tile 8,16 --seed "$1" --jobs 1 --db small/sweep.db
}
sweep 1 >first.txt 2>first.err
grep -q "2 points, 2 done" first.txt
free=$(df --output=avail -k small | tail -n 1)
head -c $((free * 1024 - 2048)) /dev/zero >small/ballast
code=0
sweep 1,2,3,4,5,6,7,8,9 >full.txt 2>full.err || code=$?
[ $code != 0 ]
grep -q "E0940-store\|E0942-points\|E0004-write" full.err || { cat full.err; exit 1; }
rm small/ballast
"$onyx" sweep report small/sweep.db >kept.txt
grep -q "done" kept.txt
sweep 1,2,3 >after.txt 2>after.err || { cat after.err; exit 1; }
grep -q "6 points, 6 done\| 6 done" after.txt || { cat after.txt; exit 1; }
echo "a full disk lost nothing that was stored"
