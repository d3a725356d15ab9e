#!/bin/sh
# OpenOCD reads boards/onyx.cfg for each adapter and both kinds of wires, up to where hardware is needed: adapters.sh SOURCE
# It is skipped (exit 77) where openocd is not installed.
set -eu
command -v openocd >/dev/null || { echo "skipped: openocd is not installed"; exit 77; }
for adapter in cmsis-dap jlink; do
    for wires in jtag swd; do
        said=$(timeout 60 openocd -c "gdb_port disabled; tcl_port disabled; telnet_port disabled" \
            -c "set ONYX_ADAPTER $adapter; set ONYX_TRANSPORT $wires" -f "$1/boards/onyx.cfg" \
            -c 'echo "[adapter name] [transport select] [target names] [onyx.cpu cget -dap]"; shutdown' 2>&1)
        echo "$said" | grep -qxF "$adapter $wires onyx.cpu onyx.dap" || { echo "$adapter by $wires: $said"; exit 1; }
    done
done
