# `cmake --install` installs the commands, their run-time files (ONYX_HOME), the documentation, and the libraries with
# their headers. `cpack` makes a Debian package with the same content. Target `installed` builds the installed files,
# without tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CMAKE_SKIP_PACKAGE_ALL_DEPENDENCY ON)
include(GNUInstallDirs)
file(RELATIVE_PATH ONYX_HOME_INSTALLED /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_DATADIR}/onyx)
file(RELATIVE_PATH ONYX_PROGRAMS_INSTALLED /${CMAKE_INSTALL_LIBDIR} /${CMAKE_INSTALL_BINDIR})
file(RELATIVE_PATH ONYX_DOCS_INSTALLED /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_DOCDIR})

# The kind of build, for `onyx --version`.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(JOIN " " build_flags ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}})
set(build "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}: ${build_flags}")
if(ONYX_SANITIZE)
    string(APPEND build ", with sanitizers")
endif()
string(APPEND build ", for ${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}")

add_custom_target(onyx_version BYPRODUCTS ${CMAKE_BINARY_DIR}/version/onyx_version.h
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${CMAKE_BINARY_DIR}/version -DVERSION=${PROJECT_VERSION} -DBUILD=${build}
            -P ${PROJECT_SOURCE_DIR}/cmake/version.cmake VERBATIM)

# Run-time files of the commands. The folders keep their places, since their includes are relative to the root of the
# tree.
set(home ${CMAKE_INSTALL_DATADIR}/onyx)
install(DIRECTORY boards DESTINATION ${home} PATTERN "*.py" EXCLUDE PATTERN "*.h" EXCLUDE PATTERN "*.md" EXCLUDE)
install(DIRECTORY formats DESTINATION ${home} FILES_MATCHING PATTERN "*.formats")
install(DIRECTORY functions DESTINATION ${home} PATTERN "*.md" EXCLUDE)
install(DIRECTORY cli/view DESTINATION ${home}/cli)
install(DIRECTORY rtl_models/rtl rtl_models/bench DESTINATION ${home}/rtl_models PATTERN "*.md" EXCLUDE)
install(FILES rtl_models/soc/design_main.cpp rtl_models/soc/job_run.h DESTINATION ${home}/rtl_models/soc)
install(FILES support/mlist.h DESTINATION ${home}/support)
install(DIRECTORY firmware DESTINATION ${home}
        FILES_MATCHING PATTERN "target/*" PATTERN "protocol.h" PATTERN "onyx_dispatch.h" PATTERN "commands.h" PATTERN "commands.def" PATTERN "fault.def" PATTERN "mailbox.def" PATTERN "row.def" PATTERN "registers.*" PATTERN "errors.def" PATTERN "onyx_gdb.py")
install(DIRECTORY ${CMAKE_BINARY_DIR}/firmware/installed/ DESTINATION ${home}/firmware/objects OPTIONAL PATTERN "*.log" EXCLUDE)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES CHANGELOG.md NEWS.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY tests/data DESTINATION ${CMAKE_INSTALL_DOCDIR}/tests) # what the pages' commands read
# What Debian looks for: licences, the changes of the package, why some of lintian's rules do not apply. Pages are packed.
set(ONYX_CONTACT "The onyx authors <onyx@packages.invalid>")
configure_file(cmake/changelog.in ${CMAKE_BINARY_DIR}/package/changelog @ONLY)
install(FILES cmake/copyright ${CMAKE_BINARY_DIR}/package/changelog DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/lintian-overrides RENAME onyx DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides)
install(DIRECTORY cmake/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(CODE "file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/onyx*.1\")
    execute_process(COMMAND gzip -9nf \${pages} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/changelog\"
                    COMMAND_ERROR_IS_FATAL ANY)")
install(FILES cmake/completion/onyx.bash RENAME onyx DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES cmake/completion/_onyx DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES cmake/completion/onyx.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The libraries in link order, each with its public header and the header's includes.
set(ONYX_LIBRARIES firmware bitstream pnr lower_onyx tiling frontend/lowering frontend/schedules frontend/functions frontend/language sam
                   support)
foreach(room ${ONYX_LIBRARIES})
    file(GLOB headers ${room}/*.h)
    list(FILTER headers EXCLUDE REGEX "_int\\.h$")
    install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onyx/${room})
    string(REPLACE "/" "_" library ${room})
    string(APPEND ONYX_PC_LIBS " -lonyx_${library}")
endforeach()
install(FILES frontend/frontend.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onyx/frontend)
install(DIRECTORY ${ONYX_LIBRARIES} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onyx FILES_MATCHING PATTERN "*.def")
install(FILES bindings/onyx.h bindings/stored.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onyx)
set(ONYX_PYTHON lib/python3/dist-packages/onyx)
install(DIRECTORY bindings/python/onyx/ DESTINATION ${ONYX_PYTHON} FILES_MATCHING PATTERN "*.py" PATTERN "py.typed"
        PATTERN "__pycache__" EXCLUDE)
install(FILES bindings/onyx.h bindings/stored.h DESTINATION ${ONYX_PYTHON})
file(RELATIVE_PATH library /${ONYX_PYTHON} /${CMAKE_INSTALL_LIBDIR}/libonyx.so.0)
file(WRITE ${CMAKE_BINARY_DIR}/library.path ${library}) # from the Python module's folder
install(FILES ${CMAKE_BINARY_DIR}/library.path DESTINATION ${ONYX_PYTHON})
file(RELATIVE_PATH ONYX_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /) # so the files hold wherever the tree is installed
foreach(package onyx libonyx)
    configure_file(cmake/${package}.pc.in ${CMAKE_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
# find_package(onyx) of CMake.
include(CMakePackageConfigHelpers)
set(ONYX_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/onyx)
file(RELATIVE_PATH ONYX_CMAKE_UP /${ONYX_CMAKE} /)
string(REPLACE ";" " " ONYX_ROOMS "${ONYX_LIBRARIES}")
string(REPLACE "/" "_" ONYX_ROOMS "${ONYX_ROOMS}")
configure_file(cmake/onyxConfig.cmake.in ${CMAKE_BINARY_DIR}/onyxConfig.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/onyxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/onyxConfig.cmake ${CMAKE_BINARY_DIR}/onyxConfigVersion.cmake DESTINATION ${ONYX_CMAKE})

function(onyx_install_targets)
    set(targets onyx onyx-array)
    foreach(room ${ONYX_LIBRARIES})
        string(REPLACE "/" "_" library ${room})
        list(APPEND targets onyx_${library})
    endforeach()
    if(TARGET onyx-cosim)
        list(APPEND targets onyx-cosim)
    endif()
    list(APPEND targets onyx_bindings)
    add_custom_target(installed DEPENDS ${targets})
    if(TARGET firmware_objects)
        add_dependencies(installed firmware_objects)
    endif()
    install(TARGETS ${targets} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# cpack reads this file before the installation.
file(WRITE ${CMAKE_BINARY_DIR}/package.cmake
     "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" --target installed COMMAND_ERROR_IS_FATAL ANY)\n")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/package.cmake)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${ONYX_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "sparse tensor expressions to a programmed Onyx CGRA")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Compiles expressions such as X(i,j) = B(i,k) * C(k,j) on sparse data to
bitstreams and firmware of Onyx, a fabricated coarse-grained reconfigurable
array, and runs them on a cycle-accurate model, on the RTL, on the whole chip
co-simulated, or on a board. Libraries for C and Python, manual, notebook
and examples are in the package.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/depends.cmake)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3") # the module
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "verilator, g++, make, gcc-arm-none-eabi, openocd, graphviz")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-cffi, python3-scipy, libcjson-dev, libxxhash-dev, zlib1g-dev")
# Debian requires exactly this name of a package's script. A trigger renews the cache of libraries; shlibs names
# libonyx.
configure_file(cmake/prerm.sh ${CMAKE_BINARY_DIR}/package/prerm COPYONLY)
file(WRITE ${CMAKE_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
file(WRITE ${CMAKE_BINARY_DIR}/package/shlibs "libonyx 0 onyx (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/package/prerm ${CMAKE_BINARY_DIR}/package/triggers ${CMAKE_BINARY_DIR}/package/shlibs)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
