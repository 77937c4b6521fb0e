// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/data_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace meshreel {

namespace {

std::string csvQuoted(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"')
            result += '"';
        result += c;
    }
    return result + '"';
}

std::string csvField(const DataCell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell))
        return csvQuoted(*text);
    if (const auto* whole = std::get_if<std::int64_t>(&cell))
        return fmt::format("{}", *whole);
    if (const auto* number = std::get_if<double>(&cell))
        return fmt::format("{}", *number);
    return {};
}

nlohmann::ordered_json jsonValue(const DataCell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell))
        return *text;
    if (const auto* whole = std::get_if<std::int64_t>(&cell))
        return *whole;
    if (const auto* number = std::get_if<double>(&cell))
        return *number;
    return nullptr;
}

std::string shownText(const DataCell& cell) {
    if (std::holds_alternative<std::monostate>(cell))
        return "-";
    const auto* number = std::get_if<double>(&cell);
    return number != nullptr                           ? fmt::format("{:.3f}", *number)
           : std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell)
                                                       : csvField(cell);
}

bool isText(const DataTable& table, std::size_t column) {
    return std::ranges::any_of(table.rows, [column](const std::vector<DataCell>& row) {
        return std::holds_alternative<std::string>(row[column]);
    });
}

std::string joined(const std::vector<std::string>& fields) {
    return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

std::string csvOf(const DataTable& table) {
    std::vector<std::string> fields;
    std::ranges::transform(table.columns, std::back_inserter(fields), csvQuoted);
    std::string text = joined(fields);
    for (const std::vector<DataCell>& row : table.rows) {
        fields.clear();
        std::ranges::transform(row, std::back_inserter(fields), csvField);
        text += joined(fields);
    }
    return text;
}

std::string jsonOf(const DataTable& table) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const std::vector<DataCell>& row : table.rows) {
        nlohmann::ordered_json object = nlohmann::ordered_json::object();
        for (std::size_t column = 0; column < row.size(); ++column)
            object[table.columns[column]] = jsonValue(row[column]);
        rows.push_back(std::move(object));
    }
    constexpr int indent = 2;
    return rows.dump(indent) + "\n";
}

std::string alignedText(const DataTable& table) {
    std::vector<std::string> lines(table.rows.size() + 1);
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        std::vector<std::string> texts{table.columns[column]};
        for (const std::vector<DataCell>& row : table.rows)
            texts.push_back(shownText(row[column]));
        const std::size_t width = std::ranges::max(texts, {}, &std::string::size).size();
        const bool left = isText(table, column);
        for (std::size_t line = 0; line < texts.size(); ++line) {
            const std::string gap = column == 0 ? "" : "  ";
            lines[line] += gap + (left ? fmt::format("{:<{}}", texts[line], width)
                                       : fmt::format("{:>{}}", texts[line], width));
        }
    }
    std::string text;
    for (std::string& line : lines) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace meshreel
