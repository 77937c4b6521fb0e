// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace meshreel {

/// Declares `--isa` for every sub-command. The returned function applies it, or what a starting process left
/// in the environment, and is to be called before the chosen action. Throws as limitIsa().
std::function<void()> declareIsaOption(CLI::App& app);

}  // namespace meshreel
