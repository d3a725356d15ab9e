# onyx_verilate(TARGET TOP [NAME options ...]): library TARGET with module TOP of rtl_models/rtl, verilated: class V<NAME> in
# V<NAME>.h, NAME being TOP where none is given; options are Verilator's: parameters, folders whose modules go before those
# of rtl/. Made anew when a file of rtl/ has changed; by -O1 or ONYX_THOROUGH in every build type, with contracts as assertions
# (onyx_assert.svh), and without sanitizers, which would cost minutes and find nothing in generated code. So build folders
# can share the models: ONYX_MODELS_DIR. The C++ of a module is compiled as one file: Verilator's headers are longer than most.
# Clang takes two thirds of gcc's time for it, without optimisation a third, and its code runs as fast. A clang++ may lack the
# library of C++.
execute_process(COMMAND clang++ -x c++ -include cstdint -fsyntax-only /dev/null RESULT_VARIABLE clang_lacks OUTPUT_QUIET ERROR_QUIET)
set(ONYX_VERILATOR_CXX CXX=clang++ CACHE INTERNAL "")
if(NOT clang_lacks STREQUAL 0)
    set(ONYX_VERILATOR_CXX "" CACHE INTERNAL "")
endif()
set(ONYX_VERILATOR_MAKE "OPT_FAST=-O1 VM_PARALLEL_BUILDS=0 ${ONYX_VERILATOR_CXX}" CACHE INTERNAL "")
# Options of the models of onyx's own engines, whose runs take 4 % less by -O3; the compiler takes twice the time of -O1, and
# the cores alone run no faster.
set(ONYX_THOROUGH -MAKEFLAGS OPT_FAST=-O3 CACHE INTERNAL "")
set(ONYX_MODELS_DIR ${CMAKE_BINARY_DIR}/models CACHE PATH "Where verilated modules are built")
find_program(ONYX_VERILATOR verilator REQUIRED)
find_package(Threads REQUIRED)
set(ONYX_RTL_DIR ${PROJECT_SOURCE_DIR}/rtl_models/rtl CACHE INTERNAL "")
# Packages come before the modules that use them: Verilator looks for modules, but not for packages.
file(GLOB packages CONFIGURE_DEPENDS ${ONYX_RTL_DIR}/*_pkg.sv)
set(ONYX_RTL_PACKAGES ${packages} CACHE INTERNAL "")
execute_process(COMMAND ${ONYX_VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE verilator_root
                OUTPUT_STRIP_TRAILING_WHITESPACE)

# Run-time libraries of every verilated model.
add_library(onyx_verilated STATIC EXCLUDE_FROM_ALL ${verilator_root}/include/verilated.cpp
                                                   ${verilator_root}/include/verilated_threads.cpp)
target_include_directories(onyx_verilated SYSTEM PUBLIC ${verilator_root}/include
                                                        ${verilator_root}/include/vltstd)
target_compile_options(onyx_verilated PRIVATE -O1)
target_link_libraries(onyx_verilated PUBLIC Threads::Threads atomic)

# onyx_verilate_in(FOLDER TARGET TOP NAME [options ...]): the same with a module of another folder, which uses modules of
# rtl/.
function(onyx_verilate_in folder target top name)
    set(rtl ${ONYX_RTL_DIR})
    set(ONYX_RTL_DIR ${folder})
    onyx_verilate(${target} ${top} ${name} -y ${rtl} ${ARGN})
endfunction()

# onyx_verilate_dense(TARGET TOP [options ...]): the same with a module of rtl_models/dense.
function(onyx_verilate_dense target top)
    set(folder ${PROJECT_SOURCE_DIR}/rtl_models/dense)
    list(APPEND ONYX_RTL_PACKAGES ${folder}/onyx_dense_pkg.sv)
    onyx_verilate_in(${folder} ${target} ${top} ${top} ${ARGN})
endfunction()

# onyx_taken(VARIABLE ARCHIVE SOURCE..): whether the model is another build folder's and younger than its sources. Without
# a rule Ninja takes such a model, as Make does; with a rule Ninja makes whatever its own folder did not build. CMake looks
# again when a source changes.
function(onyx_taken variable archive)
    set(${variable} FALSE PARENT_SCOPE)
    string(FIND ${archive} ${CMAKE_BINARY_DIR}/ own)
    if(own EQUAL 0 OR NOT EXISTS ${archive})
        return()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
    foreach(source ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
        if(${source} IS_NEWER_THAN ${archive})
            return()
        endif()
    endforeach()
    set(${variable} TRUE PARENT_SCOPE)
endfunction()

function(onyx_verilate target top)
    set(name ${top})
    if(ARGC GREATER 2)
        list(POP_FRONT ARGN name)
    endif()
    # Modules of the dense mode use those of rtl/.
    set(rtl ${PROJECT_SOURCE_DIR}/rtl_models/rtl)
    file(GLOB sources CONFIGURE_DEPENDS ${rtl}/*.sv ${rtl}/*.svh ${ONYX_RTL_DIR}/*.sv)
    list(REMOVE_DUPLICATES sources)
    set(dir ${ONYX_MODELS_DIR}/${name})
    file(MAKE_DIRECTORY ${ONYX_MODELS_DIR})
    add_library(${target} INTERFACE)
    target_include_directories(${target} SYSTEM INTERFACE ${dir})
    target_link_libraries(${target} INTERFACE ${dir}/V${name}__ALL.a onyx_verilated)
    onyx_taken(taken ${dir}/V${name}__ALL.a ${sources})
    if(taken)
        return()
    endif()
    add_custom_command(
        OUTPUT ${dir}/V${name}__ALL.a
        BYPRODUCTS ${dir}/V${name}.h # what includes it is compiled anew
        COMMAND ${CMAKE_COMMAND} -E rm -f ${dir}/V${name}__ALL.a # objects are only ever added to one that is there
        COMMAND ${CMAKE_COMMAND} -E env --unset=MAKEFLAGS --unset=MAKELEVEL
                ${ONYX_VERILATOR} --cc --build -j 2 -O3 --assert -MAKEFLAGS ${ONYX_VERILATOR_MAKE} --Mdir ${dir} --prefix V${name}
                --top-module ${top} ${ARGN} -y ${ONYX_RTL_DIR} ${ONYX_RTL_PACKAGES} ${ONYX_RTL_DIR}/${top}.sv > ${dir}.log
        COMMAND ${CMAKE_COMMAND} -E touch ${dir}/V${name}__ALL.a # unchanged output keeps its old date
        DEPENDS ${sources}
        COMMENT "Verilating ${name}" VERBATIM)
    add_custom_target(${target}_made DEPENDS ${dir}/V${name}__ALL.a)
    add_dependencies(${target} ${target}_made)
endfunction()
