#!/bin/sh
# Python leaves what it compiled beside the module; a folder that stays would be an empty package named onyx.
set -e
rm -rf "$DPKG_ROOT/usr/lib/python3/dist-packages/onyx/__pycache__"
