#!/bin/sh
# No folder may include a header of a later one: support < sam < frontend, tiling < lower_onyx < pnr < bitstream < firmware.
# boards is generated from its tables: what the fabric and the registers are.
# The models of the hardware stand on support and that; onyx-cosim (rtl_models/cosim) is a program that runs firmware on them.
set -u
cd "$1" || exit 1
bad=0
check() {
    folder=$1
    shift
    for header in $(grep -rhoE '#include "[a-z_]+/' --include='*.[ch]' --include='*.cpp' --exclude-dir=cosim "$folder" | sed 's/#include "//; s/\/$//' | sort -u); do
        case " $folder $* " in
        *" $header "*) ;;
        *) echo "$folder/ includes $header/"; bad=1 ;;
        esac
    done
}
check support
check sam support
check frontend support sam
check tiling support sam
check lower_onyx support sam
check boards
check pnr support boards sam lower_onyx
check bitstream support boards sam lower_onyx pnr
check rtl_models support boards
check sweep support
check firmware support sam tiling lower_onyx pnr bitstream
check host support sam tiling lower_onyx pnr bitstream firmware
check compile support boards sam frontend tiling lower_onyx pnr bitstream rtl_models firmware host
check cli support boards sam frontend tiling lower_onyx pnr bitstream rtl_models firmware host compile sweep
check bindings support compile cli
exit $bad
