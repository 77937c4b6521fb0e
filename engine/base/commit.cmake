# SPDX-License-Identifier: GPL-3.0-or-later
# version.cpp gets the version, the commit, the preset and the compiler; they are compile definitions of that one file, so that a new
# commit recompiles nothing else.
find_package(Git QUIET)
set(MESHREEL_COMMIT "unknown")
if(GIT_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
    execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${PROJECT_SOURCE_DIR}" describe --always --dirty --abbrev=12
                    OUTPUT_VARIABLE MESHREEL_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # A new commit configures again.
    execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${PROJECT_SOURCE_DIR}" rev-parse --path-format=absolute --git-path logs/HEAD
                    OUTPUT_VARIABLE git_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(EXISTS "${git_log}")
        set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${git_log}")
    endif()
endif()
set_source_files_properties(version.cpp PROPERTIES COMPILE_DEFINITIONS
    "MESHREEL_VERSION=\"${PROJECT_VERSION}\";MESHREEL_COMMIT=\"${MESHREEL_COMMIT}\";MESHREEL_PRESET=\"${MESHREEL_PRESET}\";MESHREEL_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE}\"")
