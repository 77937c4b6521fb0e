// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace meshreel {

// What people who come from other programs write where a project has a name of its own.

/// A value of a key, as another program spells it.
struct OtherName {
    std::string_view program;
    std::string_view name;          ///< there
    std::string_view key;           ///< here
    std::string_view value;         ///< here
    std::string_view spacing = {};  ///< what the name says of `sigma_spacing`, too; may be empty
};

std::span<const OtherName> otherNames();

/// Returns null when no other program has such a value.
const OtherName* findOtherName(std::string_view key, std::string_view value);

/// Returns the key that other programs, or Wan's own scripts, spell so; empty when there is none.
std::string_view findOtherKey(std::string_view name);

}  // namespace meshreel
