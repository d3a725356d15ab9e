#!/bin/sh
# Makes the pictures of pages in docs/, by headless Chromium: pictures.sh ONYX SOURCE FOLDER
# Build target `pictures` renews the pictures of the documentation. People should check them before a commit: no test
# can tell whether they agree with the pages beside them.
set -eu
onyx=$(realpath "$1") source=$(realpath "$2") folder=$(realpath "$3")
for program in chromium dot pngquant; do
    command -v $program >/dev/null || { echo "$program is not installed"; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# A page, what stands behind '#' in its address, the picture's name and size; more arguments are Chromium's.
picture() {
    page=$1 hash=$2 name=$3 size=$4
    shift 4
    chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$work/profile" \
        --window-size="$size" --screenshot="$work/shot.png" "$@" "file://$work/$page$hash" >chromium.log 2>&1 || { cat chromium.log; exit 1; }
    [ -s shot.png ] || { cat chromium.log; exit 1; }
    pngquant --force --speed 1 --strip --output "$folder/$name.png" 128 shot.png
    [ "$(wc -c <"$folder/$name.png")" -lt 200000 ] || { echo "$name.png is too large"; exit 1; }
}
square="X(i,j) = B(i,k) * C(k,j)"
data="-f C:ss:1,0 -i B:$source/tests/data/karate.mtx -i C:$source/tests/data/karate.mtx"
# shellcheck disable=SC2086
"$onyx" run "$square" $data --engine cycle --wave -O0 --quiet -o plain
# shellcheck disable=SC2086
"$onyx" run "$square" $data --engine cycle --quiet -o chosen
# shellcheck disable=SC2086
"$onyx" run "$square" $data --engine soc --wave --quiet -o chip
"$onyx" run "$source/examples/graph_network.onx" --engine soc --wave --quiet -o network
for one in chosen chip network; do "$onyx" view $one >/dev/null; done
"$onyx" view plain chosen >/dev/null
# shellcheck disable=SC2086
"$onyx" sweep "$square" $data --tile 8,16,32 --unroll 1,2 --db sweep.db --keep --quiet >/dev/null
"$onyx" sweep report --db sweep.db --html sweep.html >/dev/null

picture chosen/view.html '#colour=stall' view 1400,1500
picture chip/view.html '' view_chip 1400,2560
picture chosen/compare.html '' view_two 1400,1500
picture network/view.html '#kernel=1&colour=wires' view_program 1400,2130 --blink-settings=preferredColorScheme=0
picture sweep.html '' sweep 800,1060
folder=$folder/notebook/page
for size in 800,1000 1400,900 2200,1000; do
    picture chosen/view.html '' "light_${size%,*}" "$size"
    picture chosen/view.html '#colour=stall' "dark_${size%,*}" "$size" --blink-settings=preferredColorScheme=0
done
echo "eleven pictures"
