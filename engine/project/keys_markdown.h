// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace meshreel {

/// The text of docs/project-keys.md, made from projectKeys().
std::string keysMarkdown();

}  // namespace meshreel
