// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace meshreel {

/// The present local time as std::strftime writes it; at most 63 bytes.
std::string localTimeNow(const char* format);

}  // namespace meshreel
