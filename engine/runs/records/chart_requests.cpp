// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/chart_requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

namespace {

constexpr RunParts stepsOnly{.steps = true, .trace = false, .deviceTimes = false, .memory = false};

constexpr std::array kinds{
    ChartKindRow{ChartKind::Steps, "steps", "Seconds of every step, a line a run", stepsOnly},
    ChartKindRow{ChartKind::Stages, "stages",
                 "Seconds of load, compile, conditioning, denoising and decoding", stepsOnly},
    ChartKindRow{ChartKind::Scaling, "scaling",
                 "Speed against the number of devices, a line an attention mode", stepsOnly},
    ChartKindRow{ChartKind::Tiles, "tiles",
                 "Time against block_q and block_kv: of runs, or of the table of a tile search", stepsOnly},
    ChartKindRow{ChartKind::Lanes, "lanes",
                 "What each device did while one run denoised: computing, exchange, waiting",
                 RunParts{.memory = false}, true},
    ChartKindRow{ChartKind::Memory, "memory", "What each phase held in memory at most, beside its plan",
                 RunParts{.steps = false, .trace = false, .deviceTimes = false}},
};

}  // namespace

std::span<const ChartKindRow> chartKinds() {
    return kinds;
}

const ChartKindRow& chartKindRow(ChartKind kind) {
    return kinds.at(static_cast<std::size_t>(kind));
}

ChartKind findChartKind(std::string_view name) {
    const auto* const found = std::ranges::find(kinds, name, &ChartKindRow::name);
    if (found != kinds.end())
        return found->kind;
    std::vector<std::string_view> names;
    std::ranges::transform(kinds, std::back_inserter(names), &ChartKindRow::name);
    throw Error(ErrorKind::Project, sentence("There is no chart of the kind \"{}\"", name), "--kind",
                sentence("Use one of {}", fmt::to_string(fmt::join(names, ", "))));
}

namespace {

constexpr const char* flopsPerByteKey = "flops_per_byte";
constexpr const char* flopsPerSecondKey = "flops_per_second";

bool canBeDrawn(const Roofline& roofline) {
    return roofline.bytesPerSecond > 0 && !roofline.peaks.empty() && !roofline.points.empty() &&
           std::ranges::all_of(roofline.peaks,
                               [](const RooflinePeak& peak) { return peak.flopsPerSecond > 0; }) &&
           std::ranges::all_of(roofline.points, [](const RooflinePoint& point) {
               return point.flopsPerByte > 0 && point.flopsPerSecond > 0;
           });
}

Roofline rooflineIn(const nlohmann::json& json) {
    Roofline roofline{.machine = json.at("machine"),
                      .bytesPerSecond = json.at("bytes_per_second"),
                      .peaks = {},
                      .points = {}};
    for (const nlohmann::json& peak : json.at("peaks"))
        roofline.peaks.push_back({.name = peak.at("name"), .flopsPerSecond = peak.at(flopsPerSecondKey)});
    for (const nlohmann::json& point : json.at("points"))
        roofline.points.push_back({.name = point.at("name"),
                                   .flopsPerByte = point.at(flopsPerByteKey),
                                   .flopsPerSecond = point.at(flopsPerSecondKey)});
    return roofline;
}

}  // namespace

std::string rooflineJson(const Roofline& roofline) {
    nlohmann::json json{{"machine", roofline.machine},
                        {"bytes_per_second", roofline.bytesPerSecond},
                        {"peaks", nlohmann::json::array()},
                        {"points", nlohmann::json::array()}};
    for (const RooflinePeak& peak : roofline.peaks)
        json["peaks"].push_back({{"name", peak.name}, {flopsPerSecondKey, peak.flopsPerSecond}});
    for (const RooflinePoint& point : roofline.points)
        json["points"].push_back({{"name", point.name},
                                  {flopsPerByteKey, point.flopsPerByte},
                                  {flopsPerSecondKey, point.flopsPerSecond}});
    return json.dump();
}

Roofline parseRoofline(std::string_view json) {
    try {
        const Roofline roofline = rooflineIn(nlohmann::json::parse(json));
        if (canBeDrawn(roofline))
            return roofline;
    } catch (const nlohmann::json::exception&) {
        // the same sentence as for numbers that are of no use
    }
    throw Error(ErrorKind::Input, sentence("These are not the numbers of a roofline"), {},
                sentence("Draw one with meshreel bench --roofline"));
}

}  // namespace meshreel
