# SPDX-License-Identifier: GPL-3.0-or-later
# Every library Meshreel links, found once. tools/setup.sh names their packages.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc i18n data)
find_package(MPI REQUIRED COMPONENTS C)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)

pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET libavformat libavcodec libswresample libswscale libavutil)
pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET libwebpdemux libwebp)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd>=0.9.75)

# SentencePiece without what its pkg-config file asks for on Debian 13, protobuf's.
execute_process(COMMAND "${PKG_CONFIG_EXECUTABLE}" --maximum-traverse-depth=1 --modversion sentencepiece
                OUTPUT_VARIABLE SENTENCEPIECE_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
find_library(SENTENCEPIECE_LIBRARY NAMES sentencepiece REQUIRED)
find_path(SENTENCEPIECE_INCLUDE_DIR NAMES sentencepiece_processor.h REQUIRED)
add_library(SentencePiece::SentencePiece INTERFACE IMPORTED)
set_target_properties(SentencePiece::SentencePiece PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${SENTENCEPIECE_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${SENTENCEPIECE_LIBRARY}")

# OpenBLAS by its own path: libblas.so and libopenblas.so.0 are Debian alternatives that may point elsewhere. Other systems
# have but one, where libraries are.
find_library(OPENBLAS_LIBRARY NAMES openblas PATH_SUFFIXES openblas-pthread NO_CACHE
             PATHS /usr/lib/x86_64-linux-gnu NO_DEFAULT_PATH)
find_library(OPENBLAS_LIBRARY NAMES openblas REQUIRED NO_CACHE)
find_path(OPENBLAS_INCLUDE_DIR NAMES cblas.h PATH_SUFFIXES openblas-pthread
          PATHS /usr/include/x86_64-linux-gnu NO_DEFAULT_PATH)
find_path(OPENBLAS_INCLUDE_DIR NAMES cblas.h PATH_SUFFIXES openblas REQUIRED)
get_filename_component(OPENBLAS_DIR "${OPENBLAS_LIBRARY}" DIRECTORY)
# Headers only: engine/kernels/dispatch/blas_library.h says why the library itself is loaded at run time.
add_library(OpenBLAS::OpenBLAS INTERFACE IMPORTED)
set_target_properties(OpenBLAS::OpenBLAS PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${OPENBLAS_INCLUDE_DIR}")
# The flavour's own folder is found at run time by RPATH, in the build tree and after installing; packages depend on the
# flavour instead.
list(APPEND CMAKE_BUILD_RPATH "${OPENBLAS_DIR}")
if(NOT MESHREEL_PACKAGES)
    list(APPEND CMAKE_INSTALL_RPATH "${OPENBLAS_DIR}")
endif()

# oneDNN without its CMake package, which asks for OpenCL's headers. Its threads are OpenMP's, whose team
# Meshreel sets to one: libgomp, whichever compiler builds Meshreel.
find_library(ONEDNN_LIBRARY NAMES dnnl REQUIRED)
find_path(ONEDNN_INCLUDE_DIR NAMES dnnl.hpp REQUIRED)
find_library(GOMP_LIBRARY NAMES libgomp.so.1 REQUIRED)
add_library(oneDNN::oneDNN INTERFACE IMPORTED)
set_target_properties(oneDNN::oneDNN PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${ONEDNN_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${ONEDNN_LIBRARY};${GOMP_LIBRARY}")

# Highway's headers: the instruction set is chosen by engine/kernels/dispatch/cpu_features.h, not by its library.
find_path(HIGHWAY_INCLUDE_DIR NAMES hwy/highway.h REQUIRED)
add_library(Highway::Headers INTERFACE IMPORTED)
set_target_properties(Highway::Headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${HIGHWAY_INCLUDE_DIR}")

# Vulkan's headers, not its library: engine/gpu/vulkan_library.h opens that by name at run time. FindVulkan would also ask
# for the library.
find_path(VULKAN_INCLUDE_DIR NAMES vulkan/vulkan_core.h REQUIRED)
add_library(Vulkan::Headers INTERFACE IMPORTED)
set_target_properties(Vulkan::Headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${VULKAN_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS VK_NO_PROTOTYPES)

if(MESHREEL_STUDIO)
    set(CMAKE_AUTOMOC OFF)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets DBus Charts Svg PrintSupport LinguistTools)
endif()
if(MESHREEL_TESTS)
    find_package(GTest REQUIRED)
    include(GoogleTest)
    if(MESHREEL_STUDIO)
        find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
    endif()
endif()
