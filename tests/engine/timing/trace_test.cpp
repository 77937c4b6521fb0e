// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

namespace meshreel {
namespace {

nlohmann::json eventsOf(const Trace& trace) {
    return nlohmann::json::parse(trace.chromeJson()).at("traceEvents");
}

TEST(Trace, SpansNestInTimeAndAreOrderedByStart) {
    Trace trace;
    {
        const auto outer = trace.span("outer");
        const auto inner = trace.span("inner", "step");
    }
    const auto events = eventsOf(trace);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0]["name"], "outer");
    EXPECT_EQ(events[1]["name"], "inner");
    EXPECT_EQ(events[1]["cat"], "step");
    EXPECT_EQ(events[0]["ph"], "X");
    EXPECT_LE(events[0]["ts"].get<double>(), events[1]["ts"].get<double>());
    EXPECT_GE(events[0]["ts"].get<double>() + events[0]["dur"].get<double>(),
              events[1]["ts"].get<double>() + events[1]["dur"].get<double>());
}

TEST(Trace, ASpanIsRecordedOnceHoweverItIsMoved) {
    Trace trace;
    {
        auto span = trace.span("a");
        auto moved = std::move(span);
        moved = trace.span("b");
        moved.end();
        moved.end();
    }
    EXPECT_EQ(eventsOf(trace).size(), 2U);
}

TEST(Trace, ThreadsHaveTheirOwnRows) {
    Trace trace;
    trace.span("here").end();
    std::thread([&trace] { trace.span("there").end(); }).join();
    const auto events = eventsOf(trace);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0]["tid"], 0);
    EXPECT_EQ(events[1]["tid"], 1);
}

TEST(Trace, NoTraceMeasuresNothing) {
    EXPECT_NO_THROW(traceSpan(nullptr, "nothing").end());
}

}  // namespace
}  // namespace meshreel
