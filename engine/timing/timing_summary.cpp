// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/timing_summary.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace meshreel {
namespace {

struct Row {
    std::string_view label;
    std::string_view key;  // in JSON
    double TimingSummary::*seconds;
};

constexpr int labelWidth = 23;

constexpr std::array totalRows{
    Row{"  Load (checkpoint):", "load", &TimingSummary::load},
    Row{"  Compile:", "compile", &TimingSummary::compile},
    Row{"  Inference:", "inference", &TimingSummary::inference},
};
constexpr std::array traceRows{
    Row{"  Conditioning:", "conditioning", &TimingSummary::conditioning},
    Row{"    - VAE Encode:", "vae_encode", &TimingSummary::vaeEncode},
    Row{"  Denoise Total:", "denoise_total", &TimingSummary::denoiseTotal},
    Row{"  VAE Decode:", "vae_decode", &TimingSummary::vaeDecode},
    Row{"    - Compute:", "compute", &TimingSummary::compute},
    Row{"    - Host Formatting:", "host_formatting", &TimingSummary::hostFormatting},
};

constexpr std::string_view doubleRule = "==================================================";
constexpr std::string_view singleRule = "  ────────────────────────────────────────";

void appendRows(std::string& text, const TimingSummary& summary, std::span<const Row> rows) {
    for (const Row& row : rows)
        fmt::format_to(std::back_inserter(text), "{:<{}}{:7.1f}s\n", row.label, labelWidth,
                       summary.*row.seconds);
}

}  // namespace

std::string formatTimingSummary(const TimingSummary& summary) {
    std::string text = fmt::format("\n{0}\n  TIMING SUMMARY\n{0}\n", doubleRule);
    appendRows(text, summary, totalRows);
    if (summary.hasTrace) {
        text.append(singleRule).append("\n");
        appendRows(text, summary, traceRows);
    }
    return text.append(doubleRule).append("\n");
}

void to_json(nlohmann::json& json, const TimingSummary& summary) {
    json = nlohmann::json::object();
    for (const Row& row : totalRows)
        json[std::string(row.key)] = summary.*row.seconds;
    if (summary.hasTrace)
        for (const Row& row : traceRows)
            json[std::string(row.key)] = summary.*row.seconds;
}

void from_json(const nlohmann::json& json, TimingSummary& summary) {
    summary = {};
    for (const Row& row : totalRows)
        summary.*row.seconds = json.at(std::string(row.key)).get<double>();
    summary.hasTrace = json.contains(std::string(traceRows.front().key));
    if (summary.hasTrace)
        for (const Row& row : traceRows)
            summary.*row.seconds = json.at(std::string(row.key)).get<double>();
}

}  // namespace meshreel
