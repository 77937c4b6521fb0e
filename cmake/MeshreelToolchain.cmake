# SPDX-License-Identifier: GPL-3.0-or-later
# Language level, warnings, sanitizers and output folders shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(MESHREEL_CCACHE ccache)
if(MESHREEL_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER "${MESHREEL_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${MESHREEL_CCACHE}")
endif()

# Warnings are errors with the compilers of Debian 12. Newer ones find new things to say, which must not end a stranger's
# first build.
set(MESHREEL_WARNINGS_ARE_ERRORS)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13) OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15))
    set(MESHREEL_WARNINGS_ARE_ERRORS -Werror)
endif()

# The floor is x86-64-v3 (AVX2, FMA); wider instructions are chosen at run time from CPUID.
# -ffp-contract=off keeps the arithmetic the same in every translation unit and inlining context.
add_compile_options(-march=x86-64-v3 -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                    -Wold-style-cast -Wcast-align -Woverloaded-virtual ${MESHREEL_WARNINGS_ARE_ERRORS})

# Where files are compiled together (meshreel_batch), a file's own names look like outer ones to its neighbours, so that only locals
# are told apart from locals, and types of unnamed namespaces stand in what looks like a header. tools/lint, `debug` and `fuzz` compile
# each file alone, with all warnings.
if(CMAKE_UNITY_BUILD)
    add_compile_options(-Wno-shadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-Wshadow=local -Wno-subobject-linkage)
    endif()
endif()

# What speaks, plans and records rather than computes (words) has less to gain than loops, which CMake's Release compiles with -O3. The
# preset quick gains a third of the time that words take to compile.
set(MESHREEL_WORDS_OPTIONS $<$<CONFIG:Release>:-O2>)
if(MESHREEL_QUICK)
    set(MESHREEL_WORDS_OPTIONS $<$<CONFIG:Release>:-Og>)
endif()

# Tests run once for each build: compiling them faster is worth more than their speed.
set(MESHREEL_TEST_OPTIONS -O0)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False positives in std::string's operator+ and in optional under -O3: GCC bugs 105651 and 80635.
    add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
    # The compiler's own garbage: collected from 768 MiB on, it takes a tenth less time and a quarter more memory, and changes nothing
    # in what is compiled.
    add_compile_options(--param=ggc-min-heapsize=786432)
else()
    # GCC's pragmas around its own false positives.
    add_compile_options(-Wno-unknown-pragmas)
endif()

# Tells two builds of one changed commit apart: engine/base/version.cpp.
add_link_options(-Wl,--build-id=sha1)

set(MESHREEL_SANITIZER_OPTIONS)
if(MESHREEL_SANITIZE)
    set(MESHREEL_SANITIZER_OPTIONS "-fsanitize=${MESHREEL_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_compile_options(${MESHREEL_SANITIZER_OPTIONS})
    add_link_options("-fsanitize=${MESHREEL_SANITIZE}")
endif()
if(MESHREEL_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
