// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/sparse_counts.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace meshreel {

std::optional<double> SparseCounts::error() const {
    return reference > 0 ? std::optional(std::sqrt(difference / reference)) : std::nullopt;
}

SparseCounts& SparseCounts::operator+=(const SparseCounts& other) {
    keptBlocks += other.keptBlocks;
    allBlocks += other.allBlocks;
    hops += other.hops;
    skippedHops += other.skippedHops;
    difference += other.difference;
    reference += other.reference;
    return *this;
}

nlohmann::ordered_json sparseJson(const SparseCounts& counts) {
    nlohmann::ordered_json json{{"kept_blocks", counts.keptBlocks},   {"all_blocks", counts.allBlocks},
                                {"kept_share", counts.keptShare()},   {"hops", counts.hops},
                                {"skipped_hops", counts.skippedHops}, {"difference", counts.difference},
                                {"reference", counts.reference}};
    if (const std::optional<double> error = counts.error())
        json["error"] = *error;
    return json;
}

SparseCounts sparseFrom(const nlohmann::ordered_json& json) {
    return {.keptBlocks = json.at("kept_blocks").get<double>(),
            .allBlocks = json.at("all_blocks").get<double>(),
            .hops = json.at("hops").get<std::int64_t>(),
            .skippedHops = json.at("skipped_hops").get<std::int64_t>(),
            .difference = json.at("difference").get<double>(),
            .reference = json.at("reference").get<double>()};
}

}  // namespace meshreel
