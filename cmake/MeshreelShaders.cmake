# SPDX-License-Identifier: GPL-3.0-or-later
# Compute shaders of the GPU engine: compiled to SPIR-V by glslang and embedded as arrays of C.
find_program(MESHREEL_GLSLANG glslangValidator)
if(NOT MESHREEL_GLSLANG)
    message(FATAL_ERROR "glslangValidator, which compiles the shaders of the GPU engine, is not installed. "
                        "Install it: apt-get install glslang-tools")
endif()

# meshreel_shaders(TARGET FOLDER): each NAME.comp of the folder becomes the header "NAME.spv.h" for TARGET's sources, with
# the array NAME_spirv. SPIR-V 1.5, which every Vulkan 1.2 driver takes.
function(meshreel_shaders target folder)
    file(GLOB shaders CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.comp")
    file(GLOB parts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.glsl")
    set(made "${CMAKE_CURRENT_BINARY_DIR}/shaders")
    file(MAKE_DIRECTORY "${made}")
    foreach(shader IN LISTS shaders)
        get_filename_component(name "${shader}" NAME_WE)
        add_custom_command(
            OUTPUT "${made}/${name}.spv.h"
            COMMAND "${MESHREEL_GLSLANG}" --quiet --target-env vulkan1.2 -V --vn "${name}_spirv" -o "${made}/${name}.spv.h" "${shader}"
            DEPENDS "${shader}" ${parts}
            COMMENT "Compiling the shader ${name}"
            VERBATIM)
        target_sources(${target} PRIVATE "${made}/${name}.spv.h")
    endforeach()
    target_include_directories(${target} PRIVATE "${made}")
endfunction()
