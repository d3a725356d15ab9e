# Writes onyx_version.h into OUT: the version, the revision of the tree in SOURCE, and BUILD, the kind of build. Runs
# at every build, and changes the file only if its content differs.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
    set(revision "no revision") # an archive of the sources, or no git
endif()
file(MAKE_DIRECTORY ${OUT})
file(CONFIGURE OUTPUT ${OUT}/onyx_version.h CONTENT "#define ONYX_VERSION \"${VERSION}\"\n#define ONYX_REVISION \"${revision}\"\n#define ONYX_BUILD \"${BUILD}\"\n")
