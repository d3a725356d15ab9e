#!/bin/sh
# Builds the harnesses with clang, libFuzzer and sanitizers in FOLDER and runs each for SECONDS: long.sh SOURCE FOLDER SECONDS MODELS
# MODELS is a folder of verilated models, of any compiler. What is found is left in FOLDER/tests/fuzz.
set -u
source=$1 folder=$2 seconds=$3 models=$4
jobs=$(nproc)
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9; }' >"$folder.probe.c"
if ! clang -fsanitize=fuzzer,address "$folder.probe.c" -o "$folder.probe" 2>/dev/null; then
    echo "skipped: no clang with libFuzzer"
    exit 77
fi
cmake -S "$source" -B "$folder" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DONYX_WERROR=ON -DONYX_SANITIZE=ON -DONYX_FUZZ=ON -DONYX_FUZZ_SECONDS="$seconds" -DONYX_MODELS_DIR="$models" >"$folder.log" || exit 1
cmake --build "$folder" -j "$jobs" --target fuzz >>"$folder.log" 2>&1 || { tail -n 30 "$folder.log"; exit 1; }
ctest --test-dir "$folder" -R '^fuzz_.*_long$' -j "$jobs" --output-on-failure
