#!/bin/sh
# Every diagnostic code in the sources has a row in docs/errors/, and every row is the code of a message.
set -u
cd "$1" || exit 1
in_code=$(grep -rhoE '"E[0-9]{4}-[a-z0-9-]+"' --include='*.c' --include='*.h' --include='*.cpp' --include='*.def' \
    support sam frontend tiling lower_onyx pnr bitstream firmware host rtl_models sweep cli | tr -d '"' | sort -u)
in_docs=$(grep -hoE '^\| *`?E[0-9]{4}-[a-z0-9-]+' docs/errors/*.md | grep -oE 'E[0-9]{4}-[a-z0-9-]+' | sort -u)
bad=0
for code in $in_code; do
    echo "$in_docs" | grep -qx "$code" || { echo "$code has no row in docs/errors/"; bad=1; }
done
for code in $in_docs; do
    grep -rqF "$code" support sam frontend tiling lower_onyx pnr bitstream firmware host rtl_models sweep cli ||
        { echo "$code is documented, but nothing reports it"; bad=1; }
done
exit $bad
