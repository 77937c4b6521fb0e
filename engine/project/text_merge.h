// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace meshreel {

class WantedText;

/// The text of a project file made to say what is wanted: lines of unchanged values stay byte for byte,
/// changed values are replaced in place with their comments kept, new keys are inserted in section order.
/// Nothing when the text is empty, has problems, or is not laid out a key a line.
std::optional<std::string> mergeIntoText(const WantedText& wanted, const std::string& previousText);

}  // namespace meshreel
