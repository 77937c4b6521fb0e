// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/local_time.h"

#include <array>
#include <ctime>

namespace meshreel {

std::string localTimeNow(const char* format) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    std::array<char, 64> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), format, &local);
    return {text.data(), length};
}

}  // namespace meshreel
