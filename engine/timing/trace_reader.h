// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// A span as Trace::chromeJson() writes it.
struct TracedSpan {
    std::string name;
    std::string category;
    int thread = 0;      ///< counted from 0
    double start = 0;    ///< seconds since the trace was made
    double seconds = 0;  ///< length

    [[nodiscard]] double end() const { return start + seconds; }
};

/// Complete events of a Chrome trace, in the order of the file; other events are passed over. Throws
/// Error{Input} when the text is no such trace.
std::vector<TracedSpan> parseChromeTrace(std::string_view text);

}  // namespace meshreel
