// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/excerpt.h"

#include <algorithm>

namespace meshreel {

std::string excerpt(std::string_view text, std::size_t bytes) {
    std::string printable(text.substr(0, bytes));
    std::ranges::replace_if(
        printable, [](char c) { return c < ' ' || c > '~'; }, '?');
    return printable;
}

}  // namespace meshreel
