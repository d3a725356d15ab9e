#!/bin/sh
# Clicks through the page of `onyx view` in a browser: a tile, a graph node, a route and a tab show the same selection
# everywhere. clicks.sh ONYX; skipped (exit 77) without chromedriver.
set -eu
onyx=$(realpath "$1") here=$(realpath "$(dirname "$0")")
for program in chromium chromedriver curl dot; do
    command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
work=$(mktemp -d)
driver=
finish() {
    code=$?
    [ -z "$driver" ] || kill "$driver" 2>/dev/null || true
    [ $code = 0 ] || tail -n 5 "$work"/driver.log 2>/dev/null || true
    rm -rf "$work"
    exit $code
}
trap finish EXIT
cd "$work"
kernel="X(i,j)=B(i,k)*C(k,j) -f C:ss:1,0 -g B:9x9:0.4:3 -g C:9x9:0.4:5"
# shellcheck disable=SC2086
"$onyx" run $kernel --engine cycle --io-trace --wave --unroll 2 --explain -o out >said
"$onyx" view out >/dev/null
# shellcheck disable=SC2086
"$onyx" run $kernel --engine cycle --wave --seed 9 -o other >/dev/null
"$onyx" view other out >/dev/null
# shellcheck disable=SC2086
"$onyx" compile $kernel -o compiled >/dev/null
"$onyx" view compiled >/dev/null
# shellcheck disable=SC2086
"$onyx" run $kernel --engine sam --quiet -o simulated
"$onyx" view simulated >/dev/null
"$onyx" view simulated out -o two.html >/dev/null
cat >steps.onx <<'END'
tensor A: ss = random "9x9:0.4"
tensor x: s = all 1
tensor y: s
repeat 2 {
    y(i) = A(i,j) * x(j)
    x(i) = y(i) * y(i)
}
result x
END
# shellcheck disable=SC2086
"$onyx" run $kernel --engine soc --unroll 2 --tile 4 --wave -o chip >/dev/null
"$onyx" view chip >/dev/null
"$onyx" run steps.onx --engine cycle --wave -o steps >/dev/null
"$onyx" view steps >/dev/null
"$onyx" run "$here/../../examples/iterated_spmv.onx" --engine soc --wave --quiet -o repeated # in a session that repeats a statement

port=$((30000 + $$ % 20000))
chromedriver --port=$port >driver.log 2>&1 &
driver=$!
base=http://127.0.0.1:$port
post() { curl -sf --max-time 60 -H 'Content-Type: application/json' -d "$2" "$base$1"; }
tries=0
until curl -sf "$base/status" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 6000 ] || { echo "chromedriver does not answer"; exit 1; }
    sleep 0.1
done
session=$(post /session '{"capabilities":{"alwaysMatch":{"goog:loggingPrefs":{"browser":"ALL"},"goog:chromeOptions":{"args":["--headless=new","--no-sandbox","--disable-gpu","--disable-dev-shm-usage","--window-size=1500,1800"]}}}}' |
    sed 's/.*"sessionId":"\([^"]*\)".*/\1/')
page=/session/$session
post "$page/url" "{\"url\":\"file://$work/out/view.html\"}" >/dev/null
# Prints the value of a JavaScript expression without double quotes.
value() { post "$page/execute/sync" "{\"script\":\"return String($1)\",\"args\":[]}" | sed 's/^{"value":"\(.*\)"}$/\1/'; }
click() {
    element=$(post "$page/element" "{\"using\":\"css selector\",\"value\":\"$1\"}" | sed 's/.*:"\([^"]*\)"}}$/\1/')
    post "$page/element/$element/click" '{}' >/dev/null || { echo "cannot click $1"; exit 1; }
}
expect() {
    got=$(value "$1")
    [ "$got" = "$2" ] || { echo "$1 is '$got', not '$2'"; exit 1; }
}
count() { echo "document.querySelectorAll('$1').length"; }

expect "document.getElementById('expression').textContent" "X(i,j)=B(i,k)*C(k,j)"
expect "$(count '#floor .tile.used')" 54 # two copies of 27
expect "$(count '#graph .node')" 18
expect "$(count '.picked')" 0
# A click on a tile picks its SAM node, its routes and its details.
tile=$(value "[...document.querySelectorAll('#floor .tile.used')].find(t => t.textContent.includes('intersect_k_u1')).dataset.cell")
click "#floor .tile[data-cell='$tile']"
expect "document.querySelector('aside h2').textContent" intersect_k_u1
expect "document.querySelector('#graph .node.picked').textContent.includes('intersect k')" true
expect "$(count '#floor .tile.picked')" 1
expect "document.querySelectorAll('.route.picked').length > 3 && document.querySelectorAll('.route.faint').length > 10" true
expect "document.querySelectorAll('#channels tr.picked').length > 3" true
expect "document.querySelector('aside').textContent.includes('intersect_unit_inst_tile_en = 1')" true
# A click on a SAM node picks both of its tiles, and a second one nothing.
node=$(value "[...document.querySelectorAll('#graph .node')].find(n => n.textContent.includes('mul')).id")
click "#graph #$node"
expect "$(count '#floor .tile.picked')" 2
click "#graph #$node"
expect "$(count '.picked')" 0
# Escape clears the selection; Enter acts like a click; the selection is in sight in the graph.
key() { value "$1.dispatchEvent(new KeyboardEvent('keydown', { key: '$2', bubbles: true }))" >/dev/null; }
key "document.querySelectorAll('#floor .tile.used')[20]" Enter
expect "$(count '#floor .tile.picked')" 1
expect "(r => (b => r.top >= b.top && r.bottom <= b.bottom)(document.getElementById('graph').getBoundingClientRect()))(document.querySelector('#graph .node.picked').getBoundingClientRect())" true
key document Escape
expect "$(count '.picked')" 0
# What is picked is listed beside the array, over nothing, in any part of the page and at usual sizes.
key "document.querySelectorAll('#floor .tile.used')[20]" Enter
for size in 1280,800 1920,1080; do
    post "$page/window/rect" "{\"width\":${size%,*},\"height\":${size#*,}}" >/dev/null
    for part in array timing waiting words; do
        expect "(document.getElementById('$part').scrollIntoView(), (a => [...document.querySelectorAll('section')].every(s => s.getBoundingClientRect().right <= a.left) && a.top < innerHeight && a.bottom > 0)(document.querySelector('aside').getBoundingClientRect()))" true
    done
done
key document Escape
expect "getComputedStyle(document.querySelector('aside')).display" none
# Words on tiles can be read, or are gone, at any width.
for size in 800,900 1400,900 2200,900; do
    post "$page/window/rect" "{\"width\":${size%,*},\"height\":${size#*,}}" >/dev/null
    expect "[...document.querySelectorAll('#floor text')].every(t => t.style.display === 'none' || t.getBoundingClientRect().height >= 7)" true
    expect "[...document.querySelectorAll('#floor text')].some(t => t.style.display !== 'none')" true
done
# Words stand out from what is below them, in light and in dark colours, whatever the tiles are coloured by.
script=$(python3 -c 'import json, sys; print(json.dumps({"script": open(sys.argv[1]).read(), "args": []}))' "$here/contrast.js")
for scheme in dark light; do
    post "$page/goog/cdp/execute" "{\"cmd\":\"Emulation.setEmulatedMedia\",\"params\":{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"$scheme\"}]}}" >/dev/null
    for layer in stall kind; do
        click "[data-colour='$layer']"
        low=$(post "$page/execute/sync" "$script")
        [ "$low" = '{"value":""}' ] || { echo "contrast of $scheme, $layer: $low"; exit 1; }
    done
done
# Operands with the cuts of sub-tiles, the work of each part, and the roofline, all with words for who does not see them.
expect "$(count '#spies .entry')" "$(python3 -c 'import json; print(sum(c != "0" for t in json.load(open("out/report.json"))["tensors"] for row in t["picture"] for c in row))')"
expect "document.querySelectorAll('#roof .reached').length === 1 && [...document.querySelectorAll('#roof svg, #spies svg')].every(s => s.getAttribute('aria-label').length > 20)" true
# A picture shows as a whole at first; the wheel and the buttons zoom, and fit shows the whole again.
shown() { echo "document.querySelector('#$1 svg').getAttribute('viewBox')"; }
for picture in graph floor; do
    expect "(g => g.scrollHeight <= g.clientHeight + 1 && g.scrollWidth <= g.clientWidth + 1)(document.getElementById('$picture'))" true
    whole=$(value "$(shown $picture)")
    value "document.querySelector('#$picture svg').dispatchEvent(new WheelEvent('wheel', { deltaY: -200, clientX: 300, clientY: 400, cancelable: true }))" >/dev/null
    [ "$(value "$(shown $picture)")" != "$whole" ] || { echo "the wheel does not zoom $picture"; exit 1; }
    click "[data-of='$picture'] [data-do='fit']"
    expect "$(shown $picture)" "$whole"
    click "[data-of='$picture'] [data-do='in']"
    [ "$(value "$(shown $picture)")" != "$whole" ] || { echo "+ does not zoom $picture"; exit 1; }
    click "[data-of='$picture'] [data-do='fit']"
done
# The words of the command line are on the page, in the same order, and a tile in them can be selected.
sed -nE 's/^  (bound|waits) +//p' said >lines
[ -s lines ]
expect "[...document.querySelectorAll('#verdict div')].map(e => e.textContent).join('|')" "$(paste -sd'|' lines)"
click "#verdict button"
expect "$(count '#floor .tile.picked')" 1
expect "document.querySelector('#verdict button').textContent.startsWith(document.querySelector('#floor .tile.picked').textContent.split(' ')[0])" true
# The selection is in the address, which shows the same in a new page; likewise the search.
expect "location.hash.includes('pick=cell')" true
hash=$(value "location.hash")
post "$page/url" '{"url":"about:blank"}' >/dev/null
post "$page/url" "{\"url\":\"file://$work/out/view.html$hash&colour=wires\"}" >/dev/null
expect "$(count '#floor .tile.picked')" 1
expect "document.querySelectorAll('#floor .crossing').length > 20" true
key document Escape
expect "location.hash" '#colour=wires'
find_word() { value "(e => { e.value = '$1'; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); })(document.getElementById('search'))" >/dev/null; }
find_word intersect_k_u1
expect "document.querySelector('aside h2').textContent" intersect_k_u1
expect "document.getElementById('found').textContent" '1 found'
find_word ''
key document Escape
# Columns and rows of the array have their numbers.
expect "[...document.querySelectorAll('#floor .axis')].some(e => e.textContent === 'x24') && [...document.querySelectorAll('#floor .axis')].some(e => e.textContent === 'y2')" true
# The time line shows every channel; a click on a row picks its tile, the wheel zooms to single cycles.
channels=$(grep -c '"changes"' out/timeline.json)
[ "$channels" -gt 60 ]
expect "document.querySelector('#line canvas').getAttribute('aria-label').startsWith('what $channels channels')" true
line() { value "document.querySelector('#line canvas').dispatchEvent(new $1)" >/dev/null; }
for turn in 1 2 3 4 5 6 7 8; do line "WheelEvent('wheel', { deltaY: -300, clientX: 700, clientY: document.querySelector('#line canvas').getBoundingClientRect().top + 60, cancelable: true })"; done
sleep 0.2
expect "location.hash.includes('from=')" true
line "PointerEvent('pointermove', { clientX: 700, clientY: document.querySelector('#line canvas').getBoundingClientRect().top + 60 })"
expect "/^cycle [0-9,]+: (moved|stalled|held|starved|idle) — x/.test(document.querySelector('.says').textContent)" true
click "[data-of='line'] [data-do='fit']"
sleep 0.2
expect "location.hash.includes('from=')" false
# A picture saved as a file needs no style sheet.
expect "(t => t.startsWith('<svg') && !t.includes('class=') && t.includes('fill:'))(Picture.alone(document.querySelector('#floor svg'), [0, 0, 9, 9]))" true
# Then come the graph of tiles, and a net of the timing table.
click "[data-graph='netlist']"
expect "$(count '#graph .node')" 54
click "#nets tbody tr"
expect "document.querySelectorAll('#floor .tile.picked').length >= 2 && document.querySelectorAll('#graph .node.picked').length >= 2" true
expect "document.querySelector('aside').textContent.includes('ps')" true
# Last come heat, the whole array, and no routes.
click "[data-colour='stall']"
expect "document.getElementById('legend').textContent.startsWith('0  100 % of the cycles others waited for it')" true
expect "[...document.querySelectorAll('#floor .tile.used')].some(t => t.style.fill === 'var(--stalled)' && t.style.fillOpacity > 0.3)" true
# The darkest tile is the one that the command line names first.
expect "document.querySelector('#verdict button').textContent.startsWith([...document.querySelectorAll('#floor .tile.used')].sort((a, b) => b.style.fillOpacity - a.style.fillOpacity)[0].textContent.split(' ')[0])" true
for layer in busy clock; do
    click "[data-colour='$layer']"
    expect "[...document.querySelectorAll('#floor .tile.used')].some(t => t.style.fill.startsWith('var(--') && t.style.fillOpacity > 0.1)" true
done
click "#whole"
expect "$(count '#floor .tile')" 544
click "#routes"
expect "$(count '.route')" 0
expect "$(count '#trace svg text') > 12" true
# The chip's time line has copies, loads, stores, processor and configuration above the tiles; a click on a load picks its tile.
post "$page/url" "{\"url\":\"file://$work/chip/view.html\"}" >/dev/null
expect "document.querySelector('#line canvas').getAttribute('aria-label').startsWith('what $(grep -c '"changes"' chip/timeline.json) channels')" true
hover() { line "PointerEvent('pointermove', { clientX: document.querySelector('#line canvas').getBoundingClientRect().left + $1, clientY: document.querySelector('#line canvas').getBoundingClientRect().top + $2 })"; }
hover 212 50
expect "document.querySelector('.says').textContent.includes('waits for its next pair') && document.querySelector('.says').textContent.endsWith('copy 0')" true
line "PointerEvent('pointerdown', { pointerId: 1, clientX: 400, clientY: document.querySelector('#line canvas').getBoundingClientRect().top + 98 })"
line "PointerEvent('pointerup', { pointerId: 1, clientX: 400, clientY: document.querySelector('#line canvas').getBoundingClientRect().top + 98 })"
expect "document.querySelector('aside').textContent.includes('io_in')" true
# Two runs: the changes, tile by tile; the other run is a click away, and both time lines have one scale.
post "$page/url" "{\"url\":\"file://$work/out/compare.html\"}" >/dev/null
expect "document.querySelectorAll('#moved tbody tr').length > 20" true
expect "document.querySelector('#differences').textContent.includes('A: other') && document.querySelector('#differences').textContent.includes('copies12+1')" true
click "#runs button:nth-child(2)"
expect "$(count '#floor .tile.used')" 54
click "#moved tbody tr"
expect "document.querySelectorAll('#moved tr.picked').length" 1
# A run of engine sam has no clock, time and energy to compare.
post "$page/url" "{\"url\":\"file://$work/two.html\"}" >/dev/null
expect "/cycles/.test(document.querySelector('#differences').textContent) && !/MHz|µs|energy/.test(document.querySelector('#differences').textContent)" true
# After compile the page has no empty table, but the command for a run.
post "$page/url" "{\"url\":\"file://$work/compiled/view.html\"}" >/dev/null
expect "document.getElementById('verdict').textContent.includes('onyx cosim compiled')" true
expect "['waiting', 'words', 'times'].every(id => document.getElementById(id).hidden)" true
expect "document.getElementById('figures').textContent.includes('cycles')" false
# The page of engine sam has the graph and the operands; parts about the array are hidden.
post "$page/url" "{\"url\":\"file://$work/simulated/view.html\"}" >/dev/null
expect "['array', 'timing', 'waiting', 'words', 'times'].every(id => document.getElementById(id).hidden)" true
expect "document.querySelector('#figures').textContent.includes('cycles') && !document.querySelector('#figures').textContent.includes('PE') && document.querySelectorAll('#graph .node').length > 9 && document.querySelectorAll('#spies .entry').length > 9" true
# A program: a tab for each statement on the array.
post "$page/url" "{\"url\":\"file://$work/steps/view.html\"}" >/dev/null
expect "[...document.querySelectorAll('#kernels button')].map(b => b.textContent)" y,x
expect "document.getElementById('expression').textContent" "y(i) = A(i,j) * x(j)"
click "#kernels button:nth-child(2)"
expect "document.getElementById('expression').textContent" "x(i) = y(i) * y(i)"
expect "document.querySelectorAll('#floor .tile.used').length > 5" true
# Its time line covers the whole program: a row for each statement with each run, then the channels of both kernels.
python3 "$here/timeline.py" steps
python3 "$here/timeline.py" repeated
channels=$(($(grep -c '"from"' steps/program_timeline.json) + 2))
expect "document.querySelector('#line canvas').getAttribute('aria-label').startsWith('what $channels channels')" true
says() { value "document.querySelector('.says').textContent"; }
hover 215 57
says | grep -qx 'pass 1, cycle.*: the array works.* — line 5: y(i) = A(i,j) \* x(j)' || { echo "a run says '$(says)'"; exit 1; }
hover "document.querySelector('#line canvas').clientWidth - 20" 71
says | grep -qx 'pass 2, cycle.*: the array works.* — line 6: x(i) = y(i) \* y(i)' || { echo "a run says '$(says)'"; exit 1; }
# Zooming reaches a cycle of a channel, and a click on a row selects the tile, also of the other statement. Titles fold
# and unfold.
for turn in 1 2 3 4 5 6; do line "WheelEvent('wheel', { deltaY: -300, clientX: 300, clientY: document.querySelector('#line canvas').getBoundingClientRect().top + 60, cancelable: true })"; done
sleep 0.2
hover 260 220
says | grep -qE '^cycle [0-9,]+: (moved|stalled|held|starved|idle) — x' || { echo "a channel says '$(says)'"; exit 1; }
press() { for kind in down up; do line "PointerEvent('pointer$kind', { pointerId: 1, clientX: document.querySelector('#line canvas').getBoundingClientRect().left + 100, clientY: document.querySelector('#line canvas').getBoundingClientRect().top + $1 })"; done; sleep 0.2; }
high() { value "document.querySelector('#line canvas').clientHeight"; }
tall=$(high)
press 43
[ "$(high)" -lt "$tall" ] || { echo "a title does not fold its rows"; exit 1; }
press 43
expect "document.querySelector('#line canvas').clientHeight" "$tall"
press 57
expect "document.getElementById('expression').textContent" "y(i) = A(i,j) * x(j)"
# Two statements on one array: nodes of a statement's graph are its own tiles, with the colours of their kinds.
"$onyx" run "$here/../../examples/graph_network.onx" --engine cycle --quiet -o shared
"$onyx" view shared >/dev/null
grep -q '"part":	1' shared/report.json || { echo "no statements share an array"; exit 1; }
post "$page/url" "{\"url\":\"file://$work/shared/view.html\"}" >/dev/null
for tab in 1 2; do
    click "#kernels button:nth-child($tab)"
    expect "[...document.querySelectorAll('#graph .node')].filter(n => !n.classList.contains(/fiber|vals/i.test(n.textContent) ? 'mem' : 'pe')).map(n => n.textContent.trim())" ''
done
# A panel alone, as a drawing and as pixels.
"$onyx" view out --svg array --quiet && "$onyx" view out --png roofline -o roof.png --quiet
python3 -c 'import xml.dom.minidom as d; assert len(d.parse("out/array.svg").getElementsByTagName("text")) > 50 and open("roof.png", "rb").read(8)[1:4] == b"PNG"'
errors=$(post "$page/se/log" '{"type":"browser"}')
[ "$errors" = '{"value":[]}' ] || { echo "the browser complains: $errors"; exit 1; }
curl -sf -X DELETE "$base$page" >/dev/null
for file in out/view.html out/compare.html; do [ "$(wc -c <$file)" -lt 3000000 ]; done
! grep -oE '(src|href)="?https?:[^" ]*' out/view.html out/compare.html || { echo "the page wants the network"; exit 1; }
echo "clicked through"
