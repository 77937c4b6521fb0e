// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/published_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <variant>

#include "engine/base/csv.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/project/numbers.h"

namespace meshreel {

namespace {

using TextColumn = std::pair<std::string_view, std::string PublishedTime::*>;
using CountColumn = std::pair<std::string_view, std::int64_t PublishedTime::*>;

constexpr std::array textColumns{
    TextColumn{"id", &PublishedTime::id},
    TextColumn{"date", &PublishedTime::date},
    TextColumn{"framework", &PublishedTime::framework},
    TextColumn{"model", &PublishedTime::model},
    TextColumn{"task", &PublishedTime::task},
    TextColumn{"hardware", &PublishedTime::hardware},
    TextColumn{"other_parallel", &PublishedTime::otherParallel},
    TextColumn{"dtype", &PublishedTime::numberType},
    TextColumn{"attention", &PublishedTime::attention},
    TextColumn{"metric", &PublishedTime::metric},
    TextColumn{"source", &PublishedTime::source},
    TextColumn{"notes", &PublishedTime::notes},
    TextColumn{"use", &PublishedTime::use},
};

constexpr std::array countColumns{
    CountColumn{"devices", &PublishedTime::devices},
    CountColumn{"dp_cfg", &PublishedTime::data},
    CountColumn{"context", &PublishedTime::context},
    CountColumn{"ring", &PublishedTime::ring},
    CountColumn{"ulysses", &PublishedTime::ulysses},
    CountColumn{"tp", &PublishedTime::tensor},
    CountColumn{"width", &PublishedTime::width},
    CountColumn{"height", &PublishedTime::height},
    CountColumn{"frames", &PublishedTime::frames},
    CountColumn{"steps", &PublishedTime::steps},
    CountColumn{"batch", &PublishedTime::batch},
    CountColumn{"block_q", &PublishedTime::blockQ},
    CountColumn{"block_kv", &PublishedTime::blockKv},
    CountColumn{"forwards_per_step", &PublishedTime::forwards},
};

constexpr std::string_view secondsColumn = "seconds";

/// Column numbers by name.
using Columns = std::map<std::string, std::size_t, std::less<>>;

Columns columnNumbers(const CsvReader& table) {
    Columns columns;
    for (std::size_t column = 0; column < table.columns().size(); ++column)
        columns.emplace(table.columns()[column], column);
    for (const char* name : {"id", "hardware", "metric", "seconds"})
        if (!columns.contains(name))
            table.fail(sentence("The table has no column {}", name));
    return columns;
}

/// 0 for an empty field.
std::int64_t countIn(const CsvReader& table, std::size_t column) {
    const std::string& text = table.fields().at(column);
    if (text.empty())
        return 0;
    const auto value = parseReal(text);
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr || *number < 0 || *number > 1e9)
        table.fail(
            sentence("{} is not a count in column {}", text.substr(0, 40), table.columns().at(column)));
    return static_cast<std::int64_t>(*number);
}

}  // namespace

std::vector<PublishedTime> parsePublishedTimes(std::string_view text, const std::string& fileName) {
    CsvReader table(text, fileName, sentence("docs/foresight.md describes the columns of a table of times"));
    const Columns columns = columnNumbers(table);
    std::vector<PublishedTime> rows;
    while (table.next()) {
        PublishedTime row;
        for (const auto& [name, field] : textColumns)
            if (const auto found = columns.find(name); found != columns.end())
                row.*field = table.fields().at(found->second);
        for (const auto& [name, field] : countColumns)
            if (const auto found = columns.find(name); found != columns.end())
                row.*field = countIn(table, found->second);
        row.seconds = table.number<double>(columns.find(secondsColumn)->second);
        if (!(row.seconds > 0) || row.seconds > 1e9)
            table.fail(sentence("Seconds are {}, and must be above 0", row.seconds));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<PublishedTime> readPublishedTimes(const std::filesystem::path& file) {
    return parsePublishedTimes(readFile(file), file.string());
}

std::string publishedTimesCsv(const std::vector<PublishedTime>& rows) {
    std::string text;
    for (const auto& [name, field] : textColumns)
        text += fmt::format("{},", name);
    for (const auto& [name, field] : countColumns)
        text += fmt::format("{},", name);
    text += fmt::format("{}\n", secondsColumn);
    for (const PublishedTime& row : rows) {
        for (const auto& [name, field] : textColumns)
            text += csvField(row.*field) + ",";
        for (const auto& [name, field] : countColumns)
            text += row.*field == 0 ? "," : fmt::format("{},", row.*field);
        text += fmt::format("{}\n", row.seconds);
    }
    return text;
}

std::filesystem::path publishedTimesFile() {
    return resourceFolder() / "published" / "times.csv";
}

}  // namespace meshreel
