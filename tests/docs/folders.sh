#!/bin/sh
# Every folder with files of the project has a README.md, or one above names it (`name/`, or `NAME/` for all of its
# folders). Every page of docs/ stands in its index.
set -u
cd "$1" || exit 1
bad=0
named() { # FOLDER: in a README.md above it
    name=$(basename "$1")/ above=$1
    while [ "$above" != . ]; do
        above=$(dirname "$above")
        [ ! -f "$above/README.md" ] || ! grep -qF -e "$name" -e '`NAME/`' "$above/README.md" || return 0
    done
    return 1
}
folders() {
    find . -mindepth 1 \( -name '.?*' -o -name 'build*' -o -name out -o -name node_modules \) -prune -o -type f -printf '%h\n' | sort -u
}
for folder in $(folders); do
    [ "$folder" = . ] || [ -f "$folder/README.md" ] || named "$folder" || { echo "$folder/ is explained in no README.md"; bad=1; }
done
for page in docs/*.md; do
    [ "$page" = docs/README.md ] || grep -qF "($(basename "$page"))" docs/README.md || { echo "$page is not in docs/README.md"; bad=1; }
done
exit $bad
