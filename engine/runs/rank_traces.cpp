// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/rank_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "engine/mesh/communicator.h"
#include "engine/mesh/memory_block.h"

namespace meshreel {
namespace {

using Json = nlohmann::json;

// Clocks.

std::int64_t nanoseconds(Trace::Clock::time_point time) {
    return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

/// A number of each device, on every device.
std::vector<std::int64_t> gathered(Communicator& everyone, std::int64_t own) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(everyone.size()));
    std::vector<Block> places;
    for (std::int64_t& number : numbers)
        places.push_back(toBlock(std::span(&number, 1)));
    everyone.allGather(toBlock(std::span<const std::int64_t>(&own, 1)), places);
    return numbers;
}

/// Nanoseconds that each device's clock is ahead of the first device's; right on that device only.
std::vector<std::int64_t> clockLeads(Communicator& everyone) {
    constexpr int rounds = 8;
    std::vector<std::int64_t> leads;
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (int round = 0; round < rounds; ++round) {
        everyone.barrier();
        std::byte signal{};
        const std::int64_t sent = nanoseconds(Trace::Clock::now());
        everyone.broadcast(0, toBlock(std::span(&signal, 1)));
        std::vector<std::int64_t> heard = gathered(everyone, nanoseconds(Trace::Clock::now()));
        const std::int64_t back = nanoseconds(Trace::Clock::now());
        if (back - sent >= shortest)
            continue;
        shortest = back - sent;
        for (std::int64_t& time : heard)
            time -= sent + shortest / 2;
        leads = std::move(heard);
    }
    return leads;
}

/// The texts of all devices, on the first; the other devices get none.
std::vector<std::string> collectedTexts(Communicator& everyone, const std::string& own) {
    const std::vector<std::int64_t> sizes = gathered(everyone, std::ssize(own));
    std::vector<std::string> texts(sizes.size());
    std::vector<ConstBlock> sends(sizes.size());
    std::vector<Block> places(sizes.size());
    sends.front() = toBlock(std::as_bytes(std::span(own)));
    if (everyone.position() == 0)
        for (std::size_t device = 0; device < sizes.size(); ++device) {
            texts[device].resize(static_cast<std::size_t>(sizes[device]));
            places[device] = toBlock(std::as_writable_bytes(std::span(texts[device])));
        }
    everyone.allToAll(sends, places);
    return texts;
}

// Joining.

constexpr std::string_view deviceTitle = "device ";  // Trace::chromeJson() calls rows so
constexpr double microsecondsOfSecond = 1e6;

/// Returns the thread ids of one trace's rows that belong to devices.
std::set<int> deviceRows(const Json& events) {
    std::set<int> rows;
    for (const Json& event : events)
        if (event.at("name") == "thread_name" &&
            event.at("args").at("name").get<std::string>().starts_with(deviceTitle))
            rows.insert(event.at("tid").get<int>());
    return rows;
}

}  // namespace

std::string rankTitle(const MpiSession& ranks) {
    return fmt::format("meshreel, rank {} on {}", ranks.rank(), ranks.host(ranks.rank()));
}

std::vector<ForeignTrace> gatherTraces(DeviceMesh& mesh, const RankTrace& own) {
    const std::string json = mesh.firstDevice() == 0 ? std::string() : own.trace.chromeJson();
    std::vector<ForeignTrace> traces;
    mesh.run({}, nullptr, [&](Device& device) {
        Communicator& everyone = device.everyone();
        const std::vector<std::int64_t> leads = clockLeads(everyone);
        const std::vector<std::int64_t> begins = gathered(everyone, nanoseconds(own.begin));
        const bool speaks = device.index() == mesh.firstDevice();  // for its process
        std::vector<std::string> texts = collectedTexts(everyone, speaks ? json : std::string());
        if (!device.isFirst())
            return;
        for (std::size_t other = 0; other < texts.size(); ++other)
            if (!texts[other].empty()) {
                const std::chrono::nanoseconds offset{begins[other] - leads[other] - begins.front()};
                traces.push_back({.json = std::move(texts[other]),
                                  .offset = std::chrono::duration<double>(offset).count()});
            }
    });
    return traces;
}

std::string joinTraces(const std::string& ofRank0, const std::vector<ForeignTrace>& others) {
    if (others.empty())
        return ofRank0;
    std::vector<Json> traces{Json::parse(ofRank0)};
    for (const ForeignTrace& other : others)
        traces.push_back(Json::parse(other.json));
    std::vector<std::set<int>> devices;
    int nextRow = 0;
    for (const Json& trace : traces) {
        devices.push_back(deviceRows(trace.at("traceEvents")));
        if (!devices.back().empty())
            nextRow = std::max(nextRow, *devices.back().rbegin() + 1);
    }
    Json events = Json::array();
    for (std::size_t rank = 0; rank < traces.size(); ++rank) {
        const int process = static_cast<int>(rank) + 1;
        const double shift = rank == 0 ? 0 : others[rank - 1].offset * microsecondsOfSecond;
        events.push_back({{"name", "process_sort_index"},
                          {"ph", "M"},
                          {"pid", process},
                          {"tid", 0},
                          {"args", {{"sort_index", rank}}}});
        std::map<int, int> rows;  // of no device: by their ids in the rank's own trace
        for (Json& event : traces[rank].at("traceEvents")) {
            event["pid"] = process;
            const int row = event.at("tid").get<int>();
            if (event.at("name") != "process_name" && !devices[rank].contains(row)) {
                const auto [known, isNew] = rows.try_emplace(row, nextRow);
                nextRow += isNew ? 1 : 0;
                event["tid"] = known->second;
            }
            if (event.contains("ts"))
                event["ts"] = event.at("ts").get<double>() + shift;
            events.push_back(std::move(event));
        }
    }
    return Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}.dump();
}

}  // namespace meshreel
