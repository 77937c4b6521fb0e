# SPDX-License-Identifier: GPL-3.0-or-later
# The folders of engine/ and of tests/engine/, ground floor first: a layer depends only on layers above it here.
set(MESHREEL_LAYERS base timing tensor gpu kernels mesh attention weights text models sampling
                    media project catalogue estimates checks foresight planning events pipelines finish runs film launch
                    queue serve measure verification)

# meshreel_sources(VARIABLE [EXCEPT regex]): every .cpp below the current folder, new ones too when the next build begins.
function(meshreel_sources variable)
    cmake_parse_arguments(ARG "" "EXCEPT" "" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "*.cpp")
    if(ARG_EXCEPT)
        list(FILTER sources EXCLUDE REGEX "${ARG_EXCEPT}")
    endif()
    set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

# meshreel_include_view(TARGET NAME FOLDER): TARGET, and whoever links it, finds the headers of FOLDER of the source tree,
# and of nothing beside it: an include path of its own, made of one link in the build tree.
function(meshreel_include_view target name folder)
    set(view "${CMAKE_BINARY_DIR}/include/${name}")
    get_filename_component(parent "${view}/${folder}" DIRECTORY)
    file(MAKE_DIRECTORY "${parent}")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${view}/${folder}" SYMBOLIC)
    target_include_directories(${target} PUBLIC "${view}")
endfunction()

# meshreel_batch(TARGET [WHOLE] [EXCEPT regex]): in a unity build (the presets quick, release, package, asan and tsan), up to 16 files of a folder are compiled as
# one unit, which takes less than half of the time; those that match the regex stay alone. Names of a file's own, in unnamed
# namespaces, are therefore unique in their folder; with WHOLE, whose units cross folders, in the whole target.
function(meshreel_batch target)
    if(NOT CMAKE_UNITY_BUILD)
        return()
    endif()
    cmake_parse_arguments(ARG "WHOLE" "EXCEPT" "" ${ARGN})
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    if(ARG_EXCEPT)
        list(FILTER sources EXCLUDE REGEX "${ARG_EXCEPT}")
    endif()
    foreach(source IN LISTS sources)
        set(folder)
        if(NOT ARG_WHOLE)
            get_filename_component(folder "${source}" DIRECTORY)
        endif()
        string(MAKE_C_IDENTIFIER "in_${folder}" room)
        list(APPEND files_${room} "${source}")
        list(LENGTH files_${room} count)
        math(EXPR batch "(${count} - 1) / 16")
        set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${room}_${batch}")
    endforeach()
endfunction()

# What people start. `programs` builds all that is installed, and nothing else. ./demo builds `demo_programs`: those of
# them that a guest of the project is told of.
add_custom_target(programs)
add_custom_target(demo_programs)

# meshreel_program(TARGET COMPONENT [ON_REQUEST]): installs it, as one of the programs, in the package of that component.
# ./demo leaves out what is ON_REQUEST, so that an installation does without it where nobody built it.
function(meshreel_program target component)
    cmake_parse_arguments(PARSE_ARGV 2 ARG "ON_REQUEST" "" "")
    add_dependencies(programs ${target})
    set(optional)
    if(ARG_ON_REQUEST)
        set(optional OPTIONAL)
    else()
        add_dependencies(demo_programs ${target})
    endif()
    install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${component} ${optional})
endfunction()

# meshreel_layer(NAME base [DEPENDS tensor ...] [PUBLIC lib ...] [PRIVATE lib ...] [LOOPS source ... [WORDS source ...] [OWN_OPTIONS]])
#
# One static library per folder of engine/, of all sources in it. A layer sees only the headers of the layers that it
# depends on, so an upward include does not compile. LOOPS has inner loops; all else, and WORDS of it, are words. A source is a
# file of the layer, a folder of it, or "." for all: in a layer that computes, LOOPS is ".", so that a new file is fast unless
# somebody names it among WORDS.
# With OWN_OPTIONS the loops are compiled by options that precompiled headers of the others do not fit, one unit a file.
function(meshreel_layer)
    cmake_parse_arguments(ARG "OWN_OPTIONS" "NAME" "DEPENDS;PUBLIC;PRIVATE;LOOPS;WORDS" ${ARGN})
    list(TRANSFORM ARG_DEPENDS PREPEND meshreel_)
    set(layer meshreel_${ARG_NAME})
    meshreel_sources(words)
    if(ARG_LOOPS)
        meshreel_named(loops ${layer} "${words}" ${ARG_LOOPS})
        meshreel_named(words_of_loops ${layer} "${loops}" ${ARG_WORDS})
        list(REMOVE_ITEM loops ${words_of_loops})
        list(REMOVE_ITEM words ${loops})
        add_library(${layer}_loops OBJECT ${loops})
        meshreel_layer_part(${layer}_loops)
        if(NOT ARG_OWN_OPTIONS)
            meshreel_precompile(${layer}_loops meshreel_base_loops ${MESHREEL_ENGINE_HEADERS})
            meshreel_batch(${layer}_loops WHOLE)
        endif()
    endif()
    add_library(${layer} STATIC ${words})
    meshreel_layer_part(${layer})
    target_compile_options(${layer} PRIVATE ${MESHREEL_WORDS_OPTIONS})
    meshreel_precompile(${layer} meshreel_base ${MESHREEL_ENGINE_HEADERS})
    meshreel_batch(${layer} WHOLE)
    if(ARG_LOOPS)
        target_sources(${layer} PRIVATE $<TARGET_OBJECTS:${layer}_loops>)
    endif()
endfunction()

# meshreel_named(VARIABLE LAYER SOURCES [name ...]): those of SOURCES that the names mean. A name that means none is a mistake.
function(meshreel_named variable layer sources)
    set(named)
    foreach(name IN LISTS ARGN)
        set(found)
        foreach(source IN LISTS sources)
            string(FIND "${source}" "${name}/" place)
            if(name STREQUAL "." OR name STREQUAL source OR place EQUAL 0)
                list(APPEND found "${source}")
            endif()
        endforeach()
        if(NOT found)
            message(FATAL_ERROR "${layer}: \"${name}\" names no source here, or one that is named already. Mend its CMakeLists.txt")
        endif()
        list(APPEND named ${found})
    endforeach()
    set(${variable} "${named}" PARENT_SCOPE)
endfunction()

# meshreel_layer_part(TARGET): what both parts of a layer, words and loops, see of others. Called by meshreel_layer() alone.
function(meshreel_layer_part target)
    meshreel_include_view(${target} ${ARG_NAME} engine/${ARG_NAME})
    target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

set(MESHREEL_TEST_TIMEOUT 600)  # seconds, after which a test counts as hanging
if(MESHREEL_SANITIZE)
    set(MESHREEL_TEST_TIMEOUT 3600)
endif()

# LeakSanitizer cannot name what code allocated that was unloaded since. So the driver of the software GPU stays loaded; Open
# MPI's plugins are too many for that: leaks of ranks are not looked for.
set(MESHREEL_RANK_TEST_PROPERTIES)
set(MESHREEL_GPU_TEST_PROPERTIES)
if(MESHREEL_SANITIZE MATCHES address)
    set(MESHREEL_RANK_TEST_PROPERTIES ENVIRONMENT_MODIFICATION "ASAN_OPTIONS=string_append::detect_leaks=0")
    find_library(MESHREEL_SOFTWARE_GPU vulkan_lvp)
    if(MESHREEL_SOFTWARE_GPU)
        set(MESHREEL_GPU_TEST_PROPERTIES ENVIRONMENT_MODIFICATION "LD_PRELOAD=set:${MESHREEL_SOFTWARE_GPU}")
    endif()
endif()

# meshreel_test(NAME engine_base LIBS meshreel_base ... [SOURCES a_test.cpp ... | EXCEPT regex] [SERIAL]
#               [WHOLE | VALIDATED_BUT filter | VALIDATED filter])
# A GoogleTest program of the sources named, or of all in the folder but those that match and the *_program.cpp that tests
# start. Its cases are listed one by one in ctest, labelled with its name. With SERIAL nothing else runs beside them: they
# start ranks, which need all CPUs.
# With WHOLE the program is one entry, NAME.all: opening a GPU costs more than most cases. With VALIDATED_BUT it is two: cases
# that match the filter are NAME.unvalidated, and all others NAME.validation, under Vulkan's validation layer (package
# vulkan-validationlayers), which prints what Vulkan does not allow. With VALIDATED the cases that match are NAME.validation, and all
# others stay by themselves.
function(meshreel_test)
    cmake_parse_arguments(ARG "SERIAL;WHOLE" "NAME;EXCEPT;VALIDATED;VALIDATED_BUT" "SOURCES;LIBS" ${ARGN})
    if(NOT ARG_SOURCES)
        string(JOIN "|" except "_program\\.cpp$" ${ARG_EXCEPT})
        meshreel_sources(ARG_SOURCES EXCEPT "${except}")
    endif()
    add_executable(${ARG_NAME}_test ${ARG_SOURCES})
    target_link_libraries(${ARG_NAME}_test PRIVATE ${ARG_LIBS} meshreel_test_locations GTest::gmock GTest::gtest_main)
    target_compile_options(${ARG_NAME}_test PRIVATE ${MESHREEL_TEST_OPTIONS})
    meshreel_batch(${ARG_NAME}_test WHOLE)
    meshreel_precompile(${ARG_NAME}_test engine_base_test ${MESHREEL_ENGINE_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
    set_target_properties(${ARG_NAME}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    set(drivers ${MESHREEL_GPU_TEST_PROPERTIES})
    if(NOT ARG_NAME MATCHES "gpu$")
        # By itself, a run would take a GPU of the machine that tests.
        set(drivers ENVIRONMENT_MODIFICATION "VK_DRIVER_FILES=set:/dev/null")
    endif()
    set(of_ranks)
    if(ARG_SERIAL)
        set(of_ranks ${MESHREEL_RANK_TEST_PROPERTIES})
    endif()
    set(properties LABELS ${ARG_NAME} TIMEOUT ${MESHREEL_TEST_TIMEOUT} ${drivers} RUN_SERIAL ${ARG_SERIAL} ${of_ranks})
    set(environment "XDG_STATE_HOME=${CMAKE_BINARY_DIR}/state")
    set(validated ${ARG_VALIDATED})
    if(ARG_VALIDATED_BUT)
        set(validated "-${ARG_VALIDATED_BUT}")
    endif()
    if(validated)
        meshreel_whole_test(validation "${validated}" "${environment};VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation"
                            FAIL_REGULAR_EXPRESSION "VUID-|Validation Error" ${properties})
    endif()
    if(ARG_WHOLE)
        meshreel_whole_test(all "*" "${environment}" ${properties})
    elseif(ARG_VALIDATED_BUT)
        meshreel_whole_test(unvalidated "${ARG_VALIDATED_BUT}" "${environment}" ${properties})
    else()
        set(others "*")
        if(ARG_VALIDATED)
            set(others "-${ARG_VALIDATED}")
        endif()
        # Tests of a suite are told apart by the names that it gives them, not by bytes of parameters that gtest cannot print.
        gtest_discover_tests(${ARG_NAME}_test TEST_PREFIX "${ARG_NAME}." DISCOVERY_TIMEOUT 120 NO_PRETTY_VALUES
                             TEST_FILTER "${others}"
                             PROPERTIES ENVIRONMENT "${environment}" ${properties})
    endif()
endfunction()

# meshreel_whole_test(ENTRY FILTER ENVIRONMENT [PROPERTY VALUE] ...): the cases of a program that match the filter as one entry.
# It is skipped where all of them are: what GoogleTest says last is then which it skipped. Called by meshreel_test() alone.
function(meshreel_whole_test entry filter environment)
    set(test ${ARG_NAME}.${entry})
    add_test(NAME ${test} COMMAND ${ARG_NAME}_test "--gtest_filter=${filter}")
    set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}"
        SKIP_REGULAR_EXPRESSION "PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\][^\n]*\n?)+$" ${ARGN})
endfunction()
