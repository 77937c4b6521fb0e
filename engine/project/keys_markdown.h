// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include "engine/base/sentence.h"

namespace meshreel {

/// The text of docs/project-keys.md, made from projectKeys(); in another language where `say` tells sentences
/// in it.
std::string keysMarkdown(const std::function<std::string(const Sentence&)>& say = &Sentence::text);

}  // namespace meshreel
