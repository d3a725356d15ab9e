#!/bin/sh
# fabric_facts.sh SOURCE OUT: the output of boards/generate.py for the tables of boards/onyx equals the files of the
# tree.
set -eu
mkdir -p "$2"
python3 "$1/boards/generate.py" "$2"
cmp "$2/fabric.h" "$1/boards/onyx/fabric.h"
cmp "$2/onyx_fabric_pkg.sv" "$1/rtl_models/rtl/onyx_fabric_pkg.sv"
