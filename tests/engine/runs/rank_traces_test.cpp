// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/rank_traces.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

namespace meshreel {
namespace {

/// A span in the row of a device, and one that belongs to no device.
std::string traceOf(int rank, int device) {
    Trace trace("rank " + std::to_string(rank));
    {
        const Trace::DeviceRow row(&trace, device);
        trace.span("step of " + std::to_string(device)).end();
    }
    trace.span("load of " + std::to_string(rank)).end();
    return trace.chromeJson();
}

TEST(RankTraces, EachRankIsAProcessOnTheTimeLineOfRank0) {
    const std::string first = traceOf(0, 0);
    const std::string second = traceOf(1, 1);
    constexpr double later = 2.5;  // seconds
    const auto joined = nlohmann::json::parse(joinTraces(first, {{.json = second, .offset = later}}));
    const auto alone = nlohmann::json::parse(second);
    double own = -1;
    for (const auto& event : alone.at("traceEvents"))
        if (event.at("name") == "step of 1")
            own = event.at("ts");
    std::set<std::pair<int, std::string>> processes;
    std::set<int> rows;
    int spans = 0;
    for (const auto& event : joined.at("traceEvents")) {
        const std::string name = event.at("name");
        if (name == "process_name")
            processes.emplace(event.at("pid"), event.at("args").at("name"));
        if (event.at("ph") != "X")
            continue;
        ++spans;
        rows.insert(event.at("tid").get<int>());
        EXPECT_EQ(event.at("pid"), name.ends_with("0") ? 1 : 2) << name;
        if (name == "step of 1") {
            EXPECT_DOUBLE_EQ(event.at("ts").get<double>(), own + later * 1e6);
            EXPECT_EQ(event.at("tid"), 1) << "a device keeps its number";
        }
    }
    EXPECT_EQ(processes, (std::set<std::pair<int, std::string>>{{1, "rank 0"}, {2, "rank 1"}}));
    EXPECT_EQ(spans, 4);
    EXPECT_EQ(rows.size(), 4U) << "no two rows share an id";
}

TEST(RankTraces, OneProcessKeepsItsTrace) {
    const std::string alone = traceOf(0, 0);
    EXPECT_EQ(joinTraces(alone, {}), alone);
}

}  // namespace
}  // namespace meshreel
