// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "engine/base/error.h"
#include "engine/timing/chrome_trace.h"

namespace meshreel {
namespace {

/// Events of the phase `kind`: "X" for spans, "M" for names.
nlohmann::json eventsOf(const Trace& trace, const char* kind = "X") {
    const auto all = nlohmann::json::parse(trace.chromeJson());
    auto events = nlohmann::json::array();
    for (const auto& event : all.at("traceEvents"))
        if (event.at("ph") == kind)
            events.push_back(event);
    return events;
}

/// What viewers call the row of this number; empty where there is none.
std::string rowName(const Trace& trace, int row) {
    for (const auto& event : eventsOf(trace, "M"))
        if (event.at("name") == "thread_name" && event.at("tid") == row)
            return event.at("args").at("name");
    return {};
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

TEST(Trace, ANumberStandsBesideItsSpan) {
    Trace trace;
    {
        auto span = trace.span("step 1", "step");
        span.tell("gpu_seconds", 0.25);
        auto moved = std::move(span);
        const auto other = trace.span("step 2", "step");
    }
    const auto events = eventsOf(trace);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0]["args"]["gpu_seconds"], 0.25);
    EXPECT_FALSE(events[1].contains("args"));
    EXPECT_EQ(parseChromeTrace(trace.chromeJson()).size(), 2U);
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

TEST(Trace, DevicesHaveTheRowsOfTheirNumbers) {
    Trace trace("meshreel, rank 1");
    {
        const auto phase = trace.span("Denoise", "phase");
        {
            const Trace::DeviceRow row(&trace, 5);
            trace.span("step 1", "step").end();
        }
    }
    std::thread([&trace] {
        const Trace::DeviceRow row(&trace, 4);
        trace.span("step 1", "step").end();
    }).join();
    const auto events = eventsOf(trace);
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[0]["tid"], 6) << "the phase is no device's: behind them";
    EXPECT_EQ(events[1]["tid"], 5);
    EXPECT_EQ(events[2]["tid"], 4);
    EXPECT_EQ(rowName(trace, 4), "device 4");
    EXPECT_EQ(rowName(trace, 5), "device 5");
    EXPECT_EQ(rowName(trace, 6), "thread 0");
    const auto names = eventsOf(trace, "M");
    EXPECT_EQ(names[0]["name"], "process_name");
    EXPECT_EQ(names[0]["args"]["name"], "meshreel, rank 1");
    const ChromeTrace read = readChromeTrace(trace.chromeJson());
    EXPECT_EQ(read.spans.size(), 3U);
    EXPECT_EQ(read.rows, (std::map<int, std::string>{{4, "device 4"}, {5, "device 5"}, {6, "thread 0"}}));
}

TEST(Trace, OnlyTheNameAmongArgumentsNamesARow) {
    const ChromeTrace read = readChromeTrace(
        R"({"traceEvents": [
            {"name": "thread_name", "ph": "M", "tid": 2, "args": {"name": "device 2"}},
            {"name": "thread_name", "ph": "M", "tid": 3, "args": {}},
            {"name": "process_name", "ph": "M", "tid": 4, "args": {"name": "meshreel"}},
            {"name": "step 1", "ph": "X", "ts": 0, "dur": 1, "tid": 5, "args": {"name": "no row"}}]})");
    EXPECT_EQ(read.rows, (std::map<int, std::string>{{2, "device 2"}}));
    ASSERT_EQ(read.spans.size(), 1U);
    EXPECT_EQ(read.spans[0].name, "step 1");
}

TEST(Trace, NoEventEndsBeforeItBegins) {
    const auto lasting = [](int length) {
        return readChromeTrace(fmt::format(
            R"({{"traceEvents": [{{"name": "step 1", "ph": "X", "ts": 5, "dur": {}, "tid": 0}}]}})", length));
    };
    EXPECT_EQ(lasting(0).spans.size(), 1U);
    EXPECT_THROW(lasting(-1), Error);
}

TEST(Trace, NoTraceMeasuresNothing) {
    EXPECT_NO_THROW(Trace::DeviceRow(nullptr, 0));
    EXPECT_NO_THROW(traceSpan(nullptr, "nothing").end());
}

}  // namespace
}  // namespace meshreel
