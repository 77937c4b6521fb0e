// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "engine/base/sentence.h"

namespace meshreel {

/// Why a key of MaxDiffusion has no meaning here: a sentence without its full stop. Empty for names that no
/// group of keys takes in.
Sentence ignoredReason(std::string_view name);

}  // namespace meshreel
