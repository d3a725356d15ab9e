# Run by cpack before it writes the Debian package: adds the packages of the libraries that the programs load. cpack's own
# search starts two processes for each of 900 installed files.
file(GLOB programs ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/bin/* ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/lib/libonyx.so.0)
set(work ${CPACK_TEMPORARY_INSTALL_DIRECTORY}.depends)
file(WRITE ${work}/debian/control "") # dpkg-shlibdeps wants to see one
execute_process(COMMAND dpkg-shlibdeps -O ${programs} WORKING_DIRECTORY ${work} OUTPUT_VARIABLE depends ERROR_VARIABLE said
                RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
    message(FATAL_ERROR "dpkg-shlibdeps: ${said}")
endif()
string(REGEX REPLACE "^.*Depends=" "" depends "${depends}")
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CPACK_DEBIAN_PACKAGE_DEPENDS}, ${depends}")
