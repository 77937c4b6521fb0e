# SPDX-License-Identifier: GPL-3.0-or-later
# Headers of other libraries that most sources read, parsed once for many. None of ours is among them: a change of one
# of ours compiles no more than before, and no layer sees another by them. Sources still include what they use; the
# presets for sanitizers compile without, which finds what was forgotten.
option(MESHREEL_PRECOMPILE "Precompile headers of other libraries" ON)

set(MESHREEL_ENGINE_HEADERS
    <algorithm> <array> <chrono> <cmath> <filesystem> <functional> <map> <memory> <optional> <span> <string>
    <string_view> <utility> <vector> <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)
set(MESHREEL_STUDIO_HEADERS
    ${MESHREEL_ENGINE_HEADERS} <QAction> <QApplication> <QBoxLayout> <QEvent> <QHeaderView> <QLabel> <QLocale> <QMenu>
    <QPainter> <QPushButton> <QSettings> <QStringList> <QToolButton> <QWidget>)

# meshreel_precompile(TARGET OWNER HEADER...): TARGET takes what OWNER, compiled with the same options, has of the
# headers, or is the owner. GCC would optimise the whole of TARGET as its owner is.
function(meshreel_precompile target owner)
    if(NOT MESHREEL_PRECOMPILE)
        return()
    endif()
    if(target STREQUAL owner)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    else()
        target_precompile_headers(${target} REUSE_FROM ${owner})
    endif()
    # What moc adds to a target includes nothing where sources include their moc_*.cpp: headers would take all its time.
    set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/${target}_autogen/mocs_compilation.cpp"
                                PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # GCC bug 105651 in std::string's operator+ again, which precompiled comes out under more names.
        target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
        if(MESHREEL_CCACHE)
            target_compile_options(${target} PRIVATE -fpch-preprocess)     # what ccache reads such sources by
        endif()
    endif()
endfunction()
