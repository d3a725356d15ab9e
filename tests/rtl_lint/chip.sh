#!/bin/sh
# chip.sh RTL_DIR: Yosys reads the whole chip, onyx_chip in a small shape, and elaborates it down to registers: no
# part is missing, no wire has two drivers or none, the clock gate has the only latch, and a bank of the buffer is a
# memory of one port: one write and one read at the same address.
set -eu
rtl=$1
command -v yosys >/dev/null || { echo "skipped: no yosys"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=$(ls "$rtl"/*_pkg.sv) modules=$(ls "$rtl"/*.sv | grep -v '_pkg\.sv$')
cat >"$work/chip.ys" <<END
read_verilog -sv -defer -I$rtl $(echo $packages $modules)
hierarchy -check -top onyx_chip -chparam Width 4 -chparam Height 2
proc
check -assert
select -assert-count 1 t:\$dlatch
memory_dff
memory_share
memory_collect
tee -q -o $work/bank dump *onyx_glb_bank*/t:\$mem_v2
stat -top onyx_chip
END
yosys -q -s "$work/chip.ys" >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
# Prints ports and addresses of the bank's memory.
sed -n 's/^ *[a-z]* \\\(.._[AP][DO][DR][RT]S*\) \\*\([a-z_0-9]*\)$/\1 \2/p' "$work/bank" | sort | tee "$work/ports"
[ "$(tr '\n' ' ' <"$work/ports")" = "RD_ADDR addr_i RD_PORTS 1 WR_ADDR addr_i WR_PORTS 1 " ]
