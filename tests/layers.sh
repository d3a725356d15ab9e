#!/bin/sh
# No folder may include a header of a later one: support < sam < frontend, tiling < lower_onyx < pnr < bitstream <
# firmware. boards/onyx has the facts of the fabric and the registers, generated from its tables. The cycle model uses
# only support and boards/onyx; rtl_models/soc runs firmware on the verilated hardware, or on the dense fabric's model,
# and sees the protocol of firmware and hardware, single words, and no other header of a stage. A folder with
# sources and without a line here fails.
set -u
cd "$1" || exit 1
bad=0
rooms=' '
check() { # FOLDER what it may include: folders, or single headers
    folder=$1 rooms="$rooms$1 "
    for header in $(find "$folder" -maxdepth 1 \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' \) |
        xargs grep -hoE '#include "[a-z_]+/[^"]+"' /dev/null | sed 's/#include "//; s/"$//' | sort -u); do
        case " $* " in
        *" ${header%/*} "* | *" $header "*) ;;
        *) echo "$folder/ includes $header"; bad=1 ;;
        esac
    done
}
check functions
check examples firmware
check support
check sam support
check frontend frontend/language frontend/functions frontend/schedules frontend/lowering
check frontend/language support sam
check frontend/functions support sam frontend/language
check frontend/schedules support sam frontend/language frontend/functions
check frontend/lowering support sam frontend/language frontend/functions
check tiling support sam
check lower_onyx support boards/onyx sam
check boards/onyx
check pnr support boards/onyx sam lower_onyx
check bitstream support boards/onyx sam lower_onyx pnr
check rtl_models/rtl
check rtl_models/dense
check rtl_models/bench
check rtl_models/cycle support boards/onyx
check rtl_models/soc support boards/onyx bitstream/bits_fields.h rtl_models/cycle/wave.h rtl_models/cycle/dense.h rtl_models/cycle/dense_streams.h firmware/firmware.h firmware/lists.h firmware/sums.h firmware/fault.h firmware/cosim_interface.h firmware/registers.h firmware/registers.def
check sweep support
check firmware support sam tiling lower_onyx pnr bitstream
check firmware/target firmware/protocol.h firmware/commands.h firmware/registers.h support/mlist.h
check dense support boards/onyx sam lower_onyx pnr bitstream rtl_models/cycle firmware
check host support sam tiling lower_onyx pnr bitstream firmware
check kernel support boards/onyx sam frontend/language frontend/functions frontend/schedules frontend/lowering tiling lower_onyx pnr bitstream rtl_models/cycle firmware host
check graphs support sam frontend/language frontend/lowering kernel
check engines support boards/onyx sam tiling lower_onyx pnr bitstream rtl_models/cycle firmware host kernel
check autoschedule support sam frontend/language frontend/schedules frontend/lowering tiling lower_onyx pnr kernel engines
check report support sam frontend/language frontend/lowering tiling lower_onyx pnr rtl_models/cycle kernel engines
check exchange support boards/onyx sam tiling lower_onyx pnr bitstream rtl_models/cycle firmware kernel engines report dense
check compile support boards/onyx sam frontend/language frontend/functions frontend/schedules frontend/lowering tiling lower_onyx pnr bitstream rtl_models/cycle firmware host kernel graphs engines autoschedule
check programs support boards/onyx sam frontend/language frontend/schedules tiling lower_onyx pnr bitstream rtl_models/cycle firmware host kernel engines report compile
check options support kernel compile/passes.def frontend/language
check cli support sam frontend/language frontend/functions frontend/lowering tiling lower_onyx pnr bitstream rtl_models/cycle firmware dense host kernel graphs engines report exchange compile programs options sweep
check cli/models support boards/onyx dense rtl_models/cycle rtl_models/soc
check bindings support kernel report compile programs options
# Other rooms see one header of each of these rooms, named after the room.
for room in frontend/language frontend/functions frontend/schedules frontend/lowering graphs engines autoschedule report exchange compile programs; do
    inside=$(grep -rlE "#include \"$room/[a-z_]+\.h\"" --include='*.[ch]' kernel graphs engines autoschedule report exchange compile programs options \
        cli bindings | grep -v "^$room/" | xargs grep -HE "#include \"$room/" /dev/null | grep -vE "\"$room/(${room##*/}\.h|[a-z_]+\.def)\"")
    [ -z "$inside" ] || { echo "$inside"; bad=1; }
done
for folder in $(find . \( -name '.?*' -o -name 'build*' -o -name out -o -path ./tests \) -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' -o -name '*.sv' \) -printf '%h\n' | sort -u); do
    case "$rooms" in
    *" ${folder#./} "*) ;;
    *) echo "${folder#./}/ has no line in tests/layers.sh"; bad=1 ;;
    esac
done
exit $bad
