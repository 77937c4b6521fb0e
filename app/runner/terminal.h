// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "engine/base/strings.h"

namespace meshreel {

/// Everything that the runner prints takes this way: prompts, names and messages may be a stranger's, and a
/// terminal obeys the controls in them (visibleText()). Throws std::system_error where nothing can be
/// written.
template <typename... Parts>
void say(std::FILE* stream, fmt::format_string<const Parts&...> pattern, const Parts&... parts) {
    fmt::print(stream, "{}", visibleText(fmt::format(pattern, parts...)));
}

template <typename... Parts>
void say(fmt::format_string<const Parts&...> pattern, const Parts&... parts) {
    say(stdout, pattern, parts...);
}

}  // namespace meshreel
