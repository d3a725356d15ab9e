# cmake -DVERILATOR= -DYOSYS= -DRTL_DIR= -DPACKAGES= -DMODULE= -P lint.cmake: lints one module; fails with the tool's text.
cmake_minimum_required(VERSION 3.21)
set(file ${RTL_DIR}/${MODULE}.sv)

file(READ ${file} text)
if(NOT text MATCHES "(^|\n)module ${MODULE}[ \n(#;]")
    message(FATAL_ERROR "${MODULE}.sv does not define module ${MODULE}")
endif()
string(REGEX MATCHALL "(^|\n) *endmodule" ends "${text}")
list(LENGTH ends count)
if(NOT count EQUAL 1)
    message(FATAL_ERROR "${MODULE}.sv defines ${count} modules, not one")
endif()

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${ARGV}\n${output}")
    endif()
endfunction()

# A module may name its own options: "// lint: -GWidth=4".
set(options)
if(text MATCHES "// lint: ([^\n]*)")
    separate_arguments(options UNIX_COMMAND "${CMAKE_MATCH_1}")
endif()

run(${VERILATOR} --lint-only -Wall ${options} -y ${RTL_DIR} --top-module ${MODULE} ${PACKAGES} ${file})
if(NOT YOSYS)
    message("skipped: no yosys")
else()
    list(JOIN PACKAGES " " packages)
    run(${YOSYS} -q -p "read_verilog -sv ${packages} ${file}")
endif()
