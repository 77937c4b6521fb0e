# SPDX-License-Identifier: GPL-3.0-or-later
# version.cpp gets the version, the commit and the compiler; they are compile definitions of that one file, so that a new
# commit recompiles nothing else.
find_package(Git QUIET)
set(MESHREEL_COMMIT "unknown")
if(GIT_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
    execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${PROJECT_SOURCE_DIR}" describe --always --dirty --abbrev=12
                    OUTPUT_VARIABLE MESHREEL_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set_source_files_properties(version.cpp PROPERTIES COMPILE_DEFINITIONS
    "MESHREEL_VERSION=\"${PROJECT_VERSION}\";MESHREEL_COMMIT=\"${MESHREEL_COMMIT}\";MESHREEL_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE}\"")
