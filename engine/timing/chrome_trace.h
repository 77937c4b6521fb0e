// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/timing/trace.h"

namespace meshreel {

/// A Chrome trace as Trace::chromeJson() and joinTraces() write it.
struct ChromeTrace {
    std::vector<TracedSpan> spans;    ///< in the order of the file
    std::map<int, std::string> rows;  ///< what viewers call a thread: "device 3"; not every thread has a name
};

/// Throws Error{Input} when the text is not such a trace.
ChromeTrace readChromeTrace(std::string_view text);

}  // namespace meshreel
