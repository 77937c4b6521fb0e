// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/rank_report.h"

#include <nlohmann/json.hpp>

#include "engine/base/record_json.h"

namespace meshreel {
namespace {

using nlohmann::json;

constexpr std::string_view reportMark = "meshreel-rank-failure: ";

}  // namespace

std::string rankReportLine(const RankReport& report) {
    json object{{"rank", report.rank},
                {"exit_code", report.exitCode},
                {"failed_rank", report.failure.rank},
                {"host", report.failure.host},
                {"device", report.failure.device},
                {"cancelled", report.failure.cancelled}};
    putSentence(object, "reason", report.failure.reason);
    return std::string(reportMark) + object.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::optional<RankReport> parseRankReport(std::string_view line) {
    const std::size_t start = line.find(reportMark);
    if (start == std::string_view::npos)
        return std::nullopt;
    const json object = json::parse(line.substr(start + reportMark.size()), nullptr, false);
    if (!object.is_object())
        return std::nullopt;
    try {
        return RankReport{.rank = object.at("rank").get<int>(),
                          .exitCode = object.at("exit_code").get<int>(),
                          .failure = {.device = object.at("device").get<int>(),
                                      .rank = object.at("failed_rank").get<int>(),
                                      .host = object.at("host").get<std::string>(),
                                      .reason = sentenceAt(object, "reason"),
                                      .cancelled = object.at("cancelled").get<bool>()}};
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

}  // namespace meshreel
