# Every folder of the house is built the same way: a static library from its sources, and a program from each test
# file.

find_package(PkgConfig REQUIRED)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# onyx_linked_in(VARIABLE ARCHIVE TARGET): the link argument of a library for programs, its archive if present: every
# command starts a little sooner (docs/notebook/speed.md). Shared libraries use the shared library.
function(onyx_linked_in variable archive target)
    find_library(ONYX_${archive} ${archive})
    set(${variable} ${target} PARENT_SCOPE)
    if(ONYX_${archive})
        set(shared "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>")
        set(${variable} "$<IF:${shared},${target},${ONYX_${archive}}>" PARENT_SCOPE)
    endif()
endfunction()
onyx_linked_in(ONYX_ZLIB libz.a PkgConfig::ZLIB)
onyx_linked_in(ONYX_XXHASH libxxhash.a PkgConfig::XXHASH)

add_library(onyx_flags INTERFACE)
target_compile_options(onyx_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wvla -Wconversion -Wswitch-enum
                            -Wmissing-prototypes -Wstrict-prototypes>
    $<$<BOOL:${ONYX_WERROR}>:$<$<COMPILE_LANGUAGE:C>:-Werror>>)
target_compile_definitions(onyx_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(ONYX_SANITIZE)
    target_compile_options(onyx_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                                -fno-omit-frame-pointer)
    target_link_options(onyx_flags INTERFACE -fsanitize=address,undefined)
endif()
if(ONYX_FUZZ)
    # Both take half of the time of binutils' other linker, but gold has a hundred warnings for the sanitizers' own symbols.
    find_program(ONYX_LLD ld.lld)
    target_link_options(onyx_flags INTERFACE -fuse-ld=$<IF:$<BOOL:${ONYX_LLD}>,lld,gold>)
    # Each source has a function that registers its variables at the start of a program, and one for the end. Together
    # they fill 12 pages, and an eighth of the faults of pages of a start are gone.
    if(ONYX_LLD)
        file(WRITE ${CMAKE_BINARY_DIR}/first_symbols "asan.module_ctor\nasan.module_dtor\n")
        target_link_options(onyx_flags INTERFACE
                            -Wl,--no-warn-symbol-ordering,--symbol-ordering-file=${CMAKE_BINARY_DIR}/first_symbols)
    endif()
    # The quick tests also run with these flags, and calls at comparisons take half of their time.
    target_compile_options(onyx_flags INTERFACE -fsanitize=fuzzer-no-link
                                                $<$<NOT:$<BOOL:${ONYX_FUZZ_COMPARES}>>:-fno-sanitize-coverage=trace-cmp>)
endif()

# onyx_library(NAME [libraries it may include ...]): all *.c of the current folder become libonyx_NAME.
function(onyx_library name)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c ${CMAKE_CURRENT_SOURCE_DIR}/${name}.h)
    add_library(onyx_${name} STATIC ${sources})
    set_target_properties(onyx_${name} PROPERTIES LINKER_LANGUAGE C)
    target_include_directories(onyx_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(onyx_${name} PUBLIC onyx_flags ${ARGN})
endfunction()

# Recordings of the chip's netlist: tests/recorded/ is part of the sources, and a bare clone can compare the models
# with the chip.
set(ONYX_RECORDED_DIR ${PROJECT_SOURCE_DIR}/tests/recorded)

# onyx_test(FILE.c LABEL [libraries ...]): one cmocka program per file, run by ctest from the project's root. Sanitizer
# builds run the quick tests, and build the others only on request. Label once: tests/CMakeLists.txt.
function(onyx_test file label)
    get_filename_component(name ${file} NAME_WE)
    set(labels ${label})
    if(label STREQUAL once)
        set(label quick)
        set(labels ${ONYX_ONCE})
    endif()
    add_executable(${name} ${file})
    if(ONYX_SANITIZE AND NOT label STREQUAL quick)
        set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_link_libraries(${name} PRIVATE ${ARGN} onyx_flags PkgConfig::CMOCKA)
    # cmocka's assertion macros convert between integer types on purpose.
    target_compile_options(${name} PRIVATE -Wno-conversion)
    # Compiled once for a run of seconds, most of which is in the rooms' libraries: compilers take half of their time without
    # optimisation.
    if(label STREQUAL quick)
        target_compile_options(${name} PRIVATE -O0)
    endif()
    target_compile_definitions(${name} PRIVATE ONYX_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                               ONYX_BINARY_DIR="${CMAKE_BINARY_DIR}"
                                               ONYX_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared"
                                               ONYX_RECORDED_DIR="${ONYX_RECORDED_DIR}")
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 2400)
endfunction()
