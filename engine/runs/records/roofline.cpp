// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/roofline.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"

namespace meshreel {

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
        // the same sentence as for unusable numbers
    }
    throw Error(ErrorKind::Input, sentence("These are not the numbers of a roofline"), {},
                sentence("Draw one with meshreel bench --roofline"));
}

}  // namespace meshreel
