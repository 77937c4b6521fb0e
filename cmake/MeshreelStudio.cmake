# SPDX-License-Identifier: GPL-3.0-or-later
# The rooms of ui/ and the programs that test them.

# meshreel_room(NAME charts [DEPENDS theme ...] [LIBS lib ...] [NO_WIDGETS])
#
# One static library, meshreel_ui_<NAME>, of all sources in the room's folder. A room sees only the headers of the rooms
# that it depends on, so an upward include does not compile. One with NO_WIDGETS has no widgets to include either: it
# cannot take the precompiled headers of the others, which have them.
function(meshreel_room)
    cmake_parse_arguments(ARG "NO_WIDGETS" "NAME" "DEPENDS;LIBS" ${ARGN})
    set(target meshreel_ui_${ARG_NAME})
    # Headers, too: moc reads those that no source belongs to only where they are listed.
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${ARG_NAME}/*.cpp" "${ARG_NAME}/*.h")
    add_library(${target} STATIC ${sources})
    meshreel_include_view(${target} ui/${ARG_NAME} ui/${ARG_NAME})
    list(TRANSFORM ARG_DEPENDS PREPEND meshreel_ui_)
    target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} ${ARG_LIBS})
    set_target_properties(${target} PROPERTIES AUTOMOC ON)
    target_compile_definitions(${target} PUBLIC QT_NO_CAST_FROM_ASCII)
    target_compile_options(${target} PRIVATE ${MESHREEL_WORDS_OPTIONS})
    if(ARG_NO_WIDGETS)
        meshreel_precompile(${target} meshreel_base)
    else()
        meshreel_precompile(${target} meshreel_ui_theme ${MESHREEL_STUDIO_HEADERS})
    endif()
    meshreel_batch(${target})
endfunction()

# meshreel_studio_test_code(TARGET): how tests of the Studio, and what helps them, are compiled.
function(meshreel_studio_test_code target)
    meshreel_include_view(${target} tests tests/support)
    set_target_properties(${target} PROPERTIES AUTOMOC ON)
    target_compile_options(${target} PRIVATE ${MESHREEL_TEST_OPTIONS})
    meshreel_precompile(${target} meshreel_test_charts ${MESHREEL_STUDIO_HEADERS} <QSignalSpy> <QTemporaryDir> <QTest>)
    meshreel_batch(${target} WHOLE)
endfunction()

# meshreel_studio_test_library(NAME LIBS lib ...): the library meshreel_test_<NAME> of all in tests/support/<NAME>.
function(meshreel_studio_test_library name)
    cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
         "${PROJECT_SOURCE_DIR}/tests/support/${name}/*.cpp" "${PROJECT_SOURCE_DIR}/tests/support/${name}/*.h")
    add_library(meshreel_test_${name} STATIC ${sources})
    target_link_libraries(meshreel_test_${name} PUBLIC ${ARG_LIBS} Qt6::Test)
    meshreel_studio_test_code(meshreel_test_${name})
endfunction()

# meshreel_studio_run(NAME PROGRAM TEST [VARIABLE=value ...]): TEST of PROGRAM as the test NAME, run without a display.
# Settings and runs of the person testing stay untouched.
function(meshreel_studio_run name program test)
    set(home "${CMAKE_CURRENT_BINARY_DIR}/home_${name}")
    set(surroundings QT_QPA_PLATFORM=offscreen QTEST_FUNCTION_TIMEOUT=1200000 LC_ALL=C.UTF-8
        "XDG_CONFIG_HOME=${home}/config" "XDG_DATA_HOME=${home}/data" "XDG_CACHE_HOME=${home}/cache"
        "XDG_STATE_HOME=${home}/state" "XDG_RUNTIME_DIR=${home}"
        HF_HUB_OFFLINE=1  # what walks over all buttons downloads nothing
        ${ARGN})
    add_test(NAME ${name} COMMAND ${program} ${test})
    set_tests_properties(${name} PROPERTIES LABELS ui TIMEOUT ${MESHREEL_TEST_TIMEOUT} ENVIRONMENT "${surroundings}")
endfunction()

# meshreel_studio_tests(NAME charts ROOMS values charts ... LIBS lib ... [DEFINITIONS ...])
#
# One program, ui_<NAME>_tests, of all test classes in the folders of these rooms. The class in keyboard_test.cpp is the
# test ui.keyboard; tests/support/charts/test_classes.h says how a class joins its program.
function(meshreel_studio_tests)
    cmake_parse_arguments(ARG "" "NAME" "ROOMS;LIBS;DEFINITIONS" ${ARGN})
    set(target ui_${ARG_NAME}_tests)
    list(TRANSFORM ARG_ROOMS APPEND "/*_test.cpp" OUTPUT_VARIABLE patterns)
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" ${patterns})
    add_executable(${target} ${sources})
    target_link_libraries(${target} PRIVATE ${ARG_LIBS} Qt6::Test)
    target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    meshreel_studio_test_code(${target})
    foreach(source IN LISTS sources)
        get_filename_component(test "${source}" NAME_WE)
        string(REGEX REPLACE "_test$" "" test "${test}")
        meshreel_studio_run(ui.${test} ${target} ${test})
    endforeach()
endfunction()
