// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace meshreel {

/// The run that a person means: a path that is there stays as it is; else "last" and "last~N" are the runs
/// begun last and N before it, and a name is that of a folder in the runs folder, or the end of one behind
/// its date when a single run has it. What is none of these comes back unchanged. Throws Error{Input} where
/// there are not as many runs, or several have the name.
std::string runFolderNamed(const std::string& given);

/// Lets an option that takes run folders take names of runs, too.
CLI::Option* takeRunNames(CLI::Option* option);

}  // namespace meshreel
