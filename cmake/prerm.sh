#!/bin/sh
# Python leaves compiled files beside the module; the remaining folder would be an empty package named onyx.
set -e
rm -rf "$DPKG_ROOT/usr/lib/python3/dist-packages/onyx/__pycache__"
