// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/roofline.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/measure/benchmarks/machine_peaks.h"

namespace meshreel {
namespace {

using PlainJson = nlohmann::json;

constexpr std::string_view peakPrefix = "peak.matmul.";
constexpr std::string_view bandwidthName = "peak.bandwidth";

/// Operations a second of a row that tells a rate.
std::optional<double> readRate(const PlainJson& row) {
    const std::string unit = row.at("unit");
    const double value = row.at("value");
    if (unit == "TFLOP/s" || unit == "TOP/s")
        return value * tera;
    if (unit == "s" && row.contains("flops"))
        return row.at("flops").get<double>() / value;
    return std::nullopt;
}

std::optional<double> readIntensity(const PlainJson& row) {
    if (row.contains("flops_per_byte"))
        return row.at("flops_per_byte").get<double>();
    if (row.contains("flops") && row.contains("bytes"))
        return row.at("flops").get<double>() / row.at("bytes").get<double>();
    return std::nullopt;
}

template <typename Named>
Named& named(std::vector<Named>& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &Named::name);
    return found != all.end() ? *found : all.emplace_back(Named{.name = name});
}

/// A row of a later run takes the place of the one before; of limits the highest counts.
void addRow(Roofline& roofline, const PlainJson& row) {
    const std::string name = row.at("name");
    if (name == bandwidthName)
        roofline.bytesPerSecond = std::max(roofline.bytesPerSecond, row.at("value").get<double>() * giga);
    const std::optional<double> rate = readRate(row);
    if (!rate)
        return;
    if (name.starts_with(peakPrefix)) {
        RooflinePeak& peak = named(roofline.peaks, name.substr(peakPrefix.size()));
        peak.flopsPerSecond = std::max(peak.flopsPerSecond, *rate);
    } else if (const std::optional<double> intensity = readIntensity(row)) {
        RooflinePoint& point = named(roofline.points, name);
        point.flopsPerByte = *intensity;
        point.flopsPerSecond = *rate;
    }
}

/// Whether the peak is a limit of one of the points.
bool isRoof(const RooflinePeak& peak, std::span<const PlainJson> runs) {
    const std::string name = std::string(peakPrefix) + peak.name;
    return std::ranges::any_of(runs, [&](const PlainJson& run) {
        return std::ranges::any_of(run.at("rows"), [&](const PlainJson& row) {
            return readIntensity(row) && row.value("of", "").find(name) != std::string::npos;
        });
    });
}

[[noreturn]] void refuse(Sentence problem, const std::string& where) {
    throw Error(
        ErrorKind::Input, std::move(problem), where,
        sentence("Give what meshreel bench --json printed, or a file that meshreel bench --append wrote"));
}

Roofline rooflineOf(std::span<const PlainJson> runs, const std::string& where) {
    Roofline roofline;
    try {
        roofline.machine = runs.back().at("machine").at("cpu");
        for (const PlainJson& run : runs)
            for (const PlainJson& row : run.at("rows"))
                addRow(roofline, row);
        std::erase_if(roofline.peaks, [&](const RooflinePeak& peak) { return !isRoof(peak, runs); });
    } catch (const PlainJson::exception&) {
        refuse(sentence("This is no measurement of meshreel bench"), where);
    }
    if (roofline.points.empty() || roofline.peaks.empty() || roofline.bytesPerSecond <= 0)
        refuse(sentence("No row of this measurement tells operations and bytes beside the machine's limits"),
               where);
    return roofline;
}

std::vector<PlainJson> runsIn(const std::string& text, const std::string& where) {
    if (const PlainJson whole = PlainJson::parse(text, nullptr, false); whole.is_object())
        return {whole};
    std::vector<PlainJson> runs;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.empty())
            continue;
        runs.push_back(PlainJson::parse(line, nullptr, false));
        if (!runs.back().is_object())
            refuse(sentence("A line of this file is no measurement of meshreel bench"), where);
    }
    if (runs.empty())
        refuse(sentence("This file holds no measurement"), where);
    return runs;
}

}  // namespace

Roofline rooflineOf(const PlainJson& benchmark) {
    return rooflineOf(std::span(&benchmark, 1), {});
}

Roofline readRoofline(const std::filesystem::path& file) {
    std::vector<PlainJson> runs = runsIn(readFile(file), file.string());
    const auto fact = [](const PlainJson& run, const char* name) {
        const PlainJson machine = run.value("machine", PlainJson::object());
        return machine.is_object() ? machine.value(name, PlainJson()) : PlainJson();
    };
    // Rows of a GPU stand under limits of its own.
    if (std::ranges::any_of(runs, [&](const PlainJson& run) { return fact(run, "gpu").is_null(); }))
        std::erase_if(runs, [&](const PlainJson& run) { return !fact(run, "gpu").is_null(); });
    const PlainJson last = runs.back();
    std::erase_if(runs, [&](const PlainJson& run) {
        return fact(run, "cpu") != fact(last, "cpu") || fact(run, "commit") != fact(last, "commit");
    });
    return rooflineOf(runs, file.string());
}

}  // namespace meshreel
