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
# sources, with the array NAME_spirv. Headers are made by a target of their own, which waits for no library that TARGET links.
function(meshreel_shaders target folder)
    cmake_parse_arguments(ARG "" "" "EXCEPT" ${ARGN})
    file(GLOB shaders CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.comp")
    file(GLOB parts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.glsl")
    set(made "${CMAKE_CURRENT_BINARY_DIR}/shaders")
    file(MAKE_DIRECTORY "${made}")
    set(headers)
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
        list(APPEND headers "${made}/${name}.spv.h")
    endforeach()
    add_custom_target(${target}_shaders DEPENDS ${headers})
    add_dependencies(${target} ${target}_shaders)
    target_include_directories(${target} PRIVATE "${made}")
endfunction()

# How each form of matrices is made of a shader: what it is compiled with, as what.
set(MESHREEL_FORM_DEFINITIONS_f16)
set(MESHREEL_FORM_DEFINITIONS_bf16 -DNARROW_FACTORS)
set(MESHREEL_FORM_DEFINITIONS_int8 -DINT8_FACTORS)
set(MESHREEL_FORM_FACTORS_nv_f16 f16)
set(MESHREEL_FORM_FACTORS_khr_f16 f16)
set(MESHREEL_FORM_FACTORS_khr_bf16 bf16)
set(MESHREEL_FORM_FACTORS_int8 int8)

# How each form of matrices is among the words of a MatrixVariant.
set(MESHREEL_FORMS_OF_WORDS nv_f16 khr_f16 khr_bf16 int8 int8_dot)

# meshreel_matrix_shader(TARGET FOLDER SHADER [AS name] [FORMS form...]): SHADER.comp, which multiplies by matrix units, in each variant
# of FOLDER/NAME.table and each form of matrices, nv_f16, khr_f16 and khr_bf16 where none are named; NAME is SHADER without AS. The
# table has a line of names, a line of numbers for each variant, and comments. A column `rowParts` is the macro ROW_PARTS of the
# shader. The header "NAME.variants.h" has the macro MESHREEL_NAME_VARIANTS, a braced initialiser for each variant: of its columns by
# their names, and of `words`, the SPIR-V in each form.
function(meshreel_matrix_shader target folder shader)
    cmake_parse_arguments(ARG "" "AS" "FORMS" ${ARGN})
    file(GLOB parts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.glsl")
    set(source "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${shader}.comp")
    set(made "${CMAKE_CURRENT_BINARY_DIR}/shaders")
    set(name "${shader}")
    if(ARG_AS)
        set(name "${ARG_AS}")
    endif()
    set(forms nv_f16 khr_f16 khr_bf16)
    if(ARG_FORMS)
        set(forms ${ARG_FORMS})
    endif()
    set(table "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name}.table")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${table}")
    file(STRINGS "${table}" lines REGEX "^[^#]")
    list(POP_FRONT lines names)
    separate_arguments(columns UNIX_COMMAND "${names}")
    list(LENGTH columns width)
    string(TOUPPER "${name}" upper)
    set(includes)
    set(rows)
    set(all_headers)
    foreach(line IN LISTS lines)
        separate_arguments(numbers UNIX_COMMAND "${line}")
        list(LENGTH numbers count)
        if(NOT count EQUAL width)
            message(FATAL_ERROR "${table}: the line \"${line}\" has ${count} numbers for ${width} columns")
        endif()
        set(definitions)
        set(fields)
        foreach(column number IN ZIP_LISTS columns numbers)
            string(REGEX REPLACE "([A-Z])" "_\\1" parameter "${column}")
            string(TOUPPER "${parameter}" parameter)
            list(APPEND definitions "-D${parameter}=${number}")
            string(APPEND fields ".${column} = ${number}, ")
        endforeach()
        list(JOIN numbers "_" suffix)
        set(array "${name}_${suffix}")
        set(headers)
        set(compiled)
        set(commands)
        foreach(form IN LISTS forms)
            set(factors "${MESHREEL_FORM_FACTORS_${form}}")
            set(module "${made}/${array}_${factors}.spv")
            if(NOT factors IN_LIST compiled)
                list(APPEND compiled "${factors}")
                list(APPEND commands COMMAND ${MESHREEL_COMPILE_SHADER} ${definitions} ${MESHREEL_FORM_DEFINITIONS_${factors}}
                                             -o "${module}" "${source}")
            endif()
            set(header "${made}/${array}_${form}.spv.h")
            list(APPEND headers "${header}")
            list(APPEND commands COMMAND shader-forms ${form} ${array}_${form} "${module}" "${header}")
            string(APPEND includes "#include \"${array}_${form}.spv.h\"\n")
        endforeach()
        set(words)
        foreach(form IN LISTS MESHREEL_FORMS_OF_WORDS)
            if(form IN_LIST forms)
                list(APPEND words "${array}_${form}")
            else()
                list(APPEND words "{}")
            endif()
        endforeach()
        list(JOIN words ", " words)
        add_custom_command(
            OUTPUT ${headers}
            ${commands}
            DEPENDS "${source}" ${parts} shader-forms
            COMMENT "Compiling the shader ${array} in each form"
            VERBATIM)
        list(APPEND all_headers ${headers})
        string(APPEND rows " \\\n    {${fields}.words = {{${words}}}},")
    endforeach()
    add_custom_target(${target}_${name} DEPENDS ${all_headers})
    add_dependencies(${target} ${target}_${name})
    file(CONFIGURE OUTPUT "${made}/${name}.variants.h" CONTENT
        "// Made by CMake: see MeshreelShaders.cmake.\n#pragma once\n${includes}#define MESHREEL_${upper}_VARIANTS${rows}\n" @ONLY)
endfunction()
