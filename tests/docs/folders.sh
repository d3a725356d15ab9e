#!/bin/sh
# Every folder with files of the project has a README.md, or a README.md above names the folder (`name/`, or `NAME/`
# for all of its folders). Every page of docs/ and docs/notebook/ is in the index of its folder, and no name is in
# both, since `onyx help NAME` searches one after the other. Every named or linked page exists.
set -u
cd "$1" || exit 1
bad=0
named() { # FOLDER: in a README.md above it
    name=${1##*/}/ above=$1
    while [ "$above" != . ]; do
        above=${above%/*}
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
[ "$(find tests/recorded -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')" -lt 2097152 ] || { echo "tests/recorded/ has more than 2 MB"; bad=1; }
for page in docs/*.md docs/notebook/*.md; do
    index=${page%/*}/README.md name=${page##*/}
    [ "$page" = "$index" ] || grep -qF "($name)" "$index" || { echo "$page is not in $index"; bad=1; }
    [ "$page" = "$index" ] || [ "${page%/*}" = docs ] || [ ! -f "docs/$name" ] || { echo "$page has the name of a page of docs/"; bad=1; }
done
# This follows paths of pages in text and comments, and links from page to page.
for page in $(grep -rhoIE --exclude-dir='.?*' --exclude-dir='build*' --exclude-dir=out --exclude-dir=node_modules '\bdocs/[a-z_/]+\.(md|json|svg)\b' . | sort -u); do
    [ -f "$page" ] || { echo "$page is named but does not exist"; bad=1; }
done
for page in docs/*.md docs/*/*.md ./README.md */README.md; do
    for link in $(grep -oE '\]\([A-Za-z_./]+\)' "$page" | tr -d '()]'); do
        [ -e "${page%/*}/$link" ] || { echo "$page: the link to $link leads nowhere"; bad=1; }
    done
done
exit $bad
