# SPDX-License-Identifier: GPL-3.0-or-later
# Compute shaders of the GPU engine: compiled to SPIR-V by glslang and embedded as arrays of C.
find_program(MESHREEL_GLSLANG glslangValidator)
if(NOT MESHREEL_GLSLANG)
    message(FATAL_ERROR "glslangValidator, which compiles the shaders of the GPU engine, is not installed. "
                        "Install it: apt-get install glslang-tools")
endif()

# The SPIR-V of one shader with these definitions, without names: SPIR-V 1.5, which every Vulkan 1.2 driver takes.
set(MESHREEL_COMPILE_SHADER "${MESHREEL_GLSLANG}" --quiet -g0 --target-env vulkan1.2 -V)

# meshreel_shaders(TARGET FOLDER [EXCEPT name...]): each NAME.comp of the folder becomes the header "NAME.spv.h" for TARGET's
# sources, with the array NAME_spirv.
function(meshreel_shaders target folder)
    cmake_parse_arguments(ARG "" "" "EXCEPT" ${ARGN})
    file(GLOB shaders CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.comp")
    file(GLOB parts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.glsl")
    set(made "${CMAKE_CURRENT_BINARY_DIR}/shaders")
    file(MAKE_DIRECTORY "${made}")
    foreach(shader IN LISTS shaders)
        get_filename_component(name "${shader}" NAME_WE)
        if(name IN_LIST ARG_EXCEPT)
            continue()
        endif()
        add_custom_command(
            OUTPUT "${made}/${name}.spv.h"
            COMMAND ${MESHREEL_COMPILE_SHADER} --vn "${name}_spirv" -o "${made}/${name}.spv.h" "${shader}"
            DEPENDS "${shader}" ${parts}
            COMMENT "Compiling the shader ${name}"
            VERBATIM)
        target_sources(${target} PRIVATE "${made}/${name}.spv.h")
    endforeach()
    target_include_directories(${target} PRIVATE "${made}")
endfunction()

# meshreel_matrix_shader(TARGET FOLDER NAME PARAMETERS parameter... VARIANTS "number..."...): NAME.comp, which multiplies by matrix
# units, in each variant (a number for each parameter) and each form of matrices. The header "NAME.variants.h" has the macro
# MESHREEL_NAME_VARIANTS(each), which calls each(the numbers, the arrays nv_f16, khr_f16, khr_bf16) for every variant.
function(meshreel_matrix_shader target folder name)
    cmake_parse_arguments(ARG "" "" "PARAMETERS;VARIANTS" ${ARGN})
    file(GLOB parts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.glsl")
    set(shader "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name}.comp")
    set(made "${CMAKE_CURRENT_BINARY_DIR}/shaders")
    string(TOUPPER "${name}" upper)
    set(includes)
    set(rows)
    foreach(variant IN LISTS ARG_VARIANTS)
        separate_arguments(numbers UNIX_COMMAND "${variant}")
        set(definitions)
        foreach(parameter number IN ZIP_LISTS ARG_PARAMETERS numbers)
            list(APPEND definitions "-D${parameter}=${number}")
        endforeach()
        list(JOIN numbers "_" suffix)
        list(JOIN numbers ", " arguments)
        set(array "${name}_${suffix}")
        set(headers)
        set(commands)
        foreach(form nv_f16 khr_f16 khr_bf16)
            set(header "${made}/${array}_${form}.spv.h")
            list(APPEND headers "${header}")
            list(APPEND commands COMMAND shader-forms ${form} ${array}_${form} "${made}/${array}_$<IF:$<STREQUAL:${form},khr_bf16>,bf16,f16>.spv" "${header}")
            string(APPEND includes "#include \"${array}_${form}.spv.h\"\n")
            string(APPEND arguments ", ${array}_${form}")
        endforeach()
        add_custom_command(
            OUTPUT ${headers}
            COMMAND ${MESHREEL_COMPILE_SHADER} ${definitions} -o "${made}/${array}_f16.spv" "${shader}"
            COMMAND ${MESHREEL_COMPILE_SHADER} ${definitions} -DNARROW_FACTORS -o "${made}/${array}_bf16.spv" "${shader}"
            ${commands}
            DEPENDS "${shader}" ${parts} shader-forms
            COMMENT "Compiling the shader ${array} in three forms"
            VERBATIM)
        target_sources(${target} PRIVATE ${headers})
        string(APPEND rows " \\\n    each(${arguments})")
    endforeach()
    file(CONFIGURE OUTPUT "${made}/${name}.variants.h" CONTENT
        "// Made by CMake: see MeshreelShaders.cmake.\n#pragma once\n${includes}#define MESHREEL_${upper}_VARIANTS(each)${rows}\n" @ONLY)
endfunction()
