// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/trace_reader.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"

namespace meshreel {

namespace {

constexpr double secondsOfMicrosecond = 1e-6;

TracedSpan spanOf(const nlohmann::json& event) {
    return {.name = event.at("name").get<std::string>(),
            .category = event.value("cat", ""),
            .thread = event.at("tid").get<int>(),
            .start = event.at("ts").get<double>() * secondsOfMicrosecond,
            .seconds = event.at("dur").get<double>() * secondsOfMicrosecond};
}

}  // namespace

std::vector<TracedSpan> parseChromeTrace(std::string_view text) {
    try {
        const nlohmann::json trace = nlohmann::json::parse(text);
        std::vector<TracedSpan> spans;
        for (const nlohmann::json& event : trace.at("traceEvents"))
            if (event.at("ph") == "X")
                spans.push_back(spanOf(event));
        return spans;
    } catch (const nlohmann::json::exception& failure) {
        throw Error(ErrorKind::Input, sentence("This is not a Chrome trace: {}", failure.what()), {},
                    sentence("Repeat the run to get its trace.json again"));
    }
}

}  // namespace meshreel
