// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// A program beside this one, which links Qt.
struct SisterProgram {
    std::string name;
    std::string whatItIs;  ///< "The program that draws charts"
};

/// Throws Error{Input} saying what it is where it is not installed.
void requireSisterProgram(const SisterProgram& sister);

/// Becomes the program, which reads `input`; its sentences and exit codes are then the runner's. Throws
/// Error{Input} where it is not installed or does not start.
[[noreturn]] void becomeSisterProgram(const SisterProgram& sister, std::vector<std::string> arguments,
                                      std::string_view input = {});

/// Throws Error{Input} naming the packages when meshreel-render, which can draw, does not stand beside this
/// program.
void requireRenderer();

/// Becomes meshreel-render, which reads `input`: its sentences and exit codes are the runner's. Throws
/// Error{Input} when it is not there or does not start.
[[noreturn]] void becomeRenderer(std::vector<std::string> arguments, std::string_view input = {});

}  // namespace meshreel
