// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/base/error.h"

namespace meshreel {

/// What becomes of a MaxDiffusion key that is not a project key.
enum class ForeignEffect {
    Ignored,  ///< has no meaning here, whatever its value
    Noted,    ///< a value other than the neutral one gives a warning
    Refused,  ///< a value other than the neutral one asks for another video than this version makes
};

struct ForeignKey {
    std::string_view name;
    ForeignEffect effect;
    std::string_view neutral;  ///< besides false, null and nothing
    Sentence reason;
    Sentence hint;
};

/// Returns the names whose effect is Ignored, sorted.
std::span<const std::string_view> ignoredKeys();

/// Knows every key of MaxDiffusion's config files besides the project keys; dots as in ProjectKey::name.
std::optional<ForeignKey> findForeignKey(std::string_view name);

}  // namespace meshreel
