// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/runs/run_folder.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// The whole number that these characters are.
std::optional<int> digitsAt(std::string_view text, std::size_t begin, std::size_t count) {
    int number = 0;
    const char* const first = text.data() + begin;
    const auto [end, failure] = std::from_chars(first, first + count, number);
    const bool isNumber = failure == std::errc() && end == first + count && *first != '-';
    return isNumber ? std::optional(number) : std::nullopt;
}

/// Runs without a time are older than all others.
std::int64_t orderOf(const RunBeginning& run) {
    return pointOfTime(run.started).value_or(std::numeric_limits<std::int64_t>::min());
}

/// Empty where a run does not tell it, or not any more.
std::string toldBeginning(const fs::path& run) {
    try {
        const nlohmann::json status = readJsonObject(run / run_file::status);
        const auto started = status.find("started");
        return started != status.end() && started->is_string() ? started->get<std::string>() : std::string();
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

std::optional<std::int64_t> pointOfTime(std::string_view timestamp) {
    constexpr std::string_view pattern = "YYYY-mm-ddTHH:MM:SS+HHMM";
    constexpr std::size_t signPlace = pattern.find('+');
    if (timestamp.size() != pattern.size() || timestamp[10] != 'T' ||
        (timestamp[signPlace] != '+' && timestamp[signPlace] != '-'))
        return std::nullopt;
    struct Field {
        std::size_t begin;
        std::size_t count;
    };
    constexpr std::array<Field, 8> fields{
        {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}, {signPlace + 1, 2}, {signPlace + 3, 2}}};
    std::array<int, fields.size()> values{};
    for (std::size_t index = 0; index < fields.size(); ++index) {
        const std::optional<int> value = digitsAt(timestamp, fields[index].begin, fields[index].count);
        if (!value)
            return std::nullopt;
        values[index] = *value;
    }
    namespace time = std::chrono;
    const time::year_month_day date{time::year(values[0]), time::month(static_cast<unsigned>(values[1])),
                                    time::day(static_cast<unsigned>(values[2]))};
    if (!date.ok())
        return std::nullopt;
    const time::seconds offset = time::hours(values[6]) + time::minutes(values[7]);
    const time::sys_seconds local =
        time::sys_days(date) + time::hours(values[3]) + time::minutes(values[4]) + time::seconds(values[5]);
    return (local - (timestamp[signPlace] == '-' ? -offset : offset)).time_since_epoch().count();
}

bool isNewer(const RunBeginning& one, const RunBeginning& other) {
    return std::tuple(orderOf(one), std::string_view(one.started), one.folder) >
           std::tuple(orderOf(other), std::string_view(other.started), other.folder);
}

std::vector<fs::path> runsByBeginning(const fs::path& folder) {
    std::vector<RunBeginning> runs;
    std::error_code unreadable;
    for (fs::directory_iterator entry(folder, unreadable); entry != fs::directory_iterator();
         entry.increment(unreadable))
        if (RunFolder::isRun(entry->path()))
            runs.push_back({.started = toldBeginning(entry->path()), .folder = entry->path()});
    std::ranges::sort(runs, isNewer);
    std::vector<fs::path> folders;
    folders.reserve(runs.size());
    for (RunBeginning& run : runs)
        folders.push_back(std::move(run.folder));
    return folders;
}

}  // namespace meshreel
