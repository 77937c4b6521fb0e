// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/rank_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace meshreel {
namespace {

using nlohmann::json;

constexpr std::string_view mark = "meshreel-rank-failure: ";

}  // namespace

std::string rankReportLine(const RankReport& report) {
    const json object{{"rank", report.rank},
                      {"exit_code", report.exitCode},
                      {"failed_rank", report.failure.rank},
                      {"host", report.failure.host},
                      {"device", report.failure.device},
                      {"reason", report.failure.reason},
                      {"cancelled", report.failure.cancelled}};
    return std::string(mark) + object.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::optional<RankReport> parseRankReport(std::string_view line) {
    const std::size_t start = line.find(mark);
    if (start == std::string_view::npos)
        return std::nullopt;
    const json object = json::parse(line.substr(start + mark.size()), nullptr, false);
    if (!object.is_object())
        return std::nullopt;
    try {
        return RankReport{.rank = object.at("rank").get<int>(),
                          .exitCode = object.at("exit_code").get<int>(),
                          .failure = {.device = object.at("device").get<int>(),
                                      .rank = object.at("failed_rank").get<int>(),
                                      .host = object.at("host").get<std::string>(),
                                      .reason = object.at("reason").get<std::string>(),
                                      .cancelled = object.at("cancelled").get<bool>()}};
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

std::string sentenceOf(const MeshFailure& failure) {
    std::string who =
        failure.rank >= 0 ? fmt::format("rank {} on host {}", failure.rank, failure.host) : failure.host;
    if (failure.device >= 0)
        who = fmt::format("device {} of {}", failure.device, who);
    return who.empty() ? failure.reason : fmt::format("{} failed: {}", who, failure.reason);
}

}  // namespace meshreel
