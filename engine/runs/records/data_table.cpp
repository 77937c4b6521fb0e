// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/data_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/base/csv.h"

namespace meshreel {

namespace {

std::string csvCell(const DataCell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell))
        return csvField(*text);
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
                                                       : csvCell(cell);
}

bool isText(const DataTable& table, std::size_t column) {
    return std::ranges::any_of(table.rows, [column](const std::vector<DataCell>& row) {
        return std::holds_alternative<std::string>(row[column]);
    });
}

/// The header and the cells of a column, padded to one width.
struct AlignedColumn {
    bool isLeft;
    std::vector<std::string> texts;
};

template <typename Shown>
AlignedColumn alignedColumn(const DataTable& table, std::size_t column, Shown shown) {
    AlignedColumn aligned{isText(table, column), {table.columns[column]}};
    for (const std::vector<DataCell>& row : table.rows)
        aligned.texts.push_back(shown(row[column]));
    const std::size_t width = std::ranges::max(aligned.texts, {}, &std::string::size).size();
    for (std::string& text : aligned.texts)
        text = aligned.isLeft ? fmt::format("{:<{}}", text, width) : fmt::format("{:>{}}", text, width);
    return aligned;
}

/// A bar would end the cell.
std::string escapedBars(const std::string& text) {
    std::string escaped;
    for (const char c : text)
        escaped += c == '|' ? std::string("\\|") : std::string(1, c);
    return escaped;
}

std::string joined(const std::vector<std::string>& fields) {
    return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

std::string toCsv(const DataTable& table) {
    std::vector<std::string> fields;
    std::ranges::transform(table.columns, std::back_inserter(fields), csvField);
    std::string text = joined(fields);
    for (const std::vector<DataCell>& row : table.rows) {
        fields.clear();
        std::ranges::transform(row, std::back_inserter(fields), csvCell);
        text += joined(fields);
    }
    return text;
}

std::string makeJson(const DataTable& table) {
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
        const AlignedColumn aligned = alignedColumn(table, column, shownText);
        for (std::size_t line = 0; line < lines.size(); ++line)
            lines[line] += (column == 0 ? "" : "  ") + aligned.texts[line];
    }
    std::string text;
    for (std::string& line : lines) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string toMarkdown(const DataTable& table) {
    std::vector<std::string> lines(table.rows.size() + 1, "|");
    std::string rule = "|";
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const AlignedColumn aligned =
            alignedColumn(table, column, [](const DataCell& cell) { return escapedBars(shownText(cell)); });
        for (std::size_t line = 0; line < lines.size(); ++line)
            lines[line] += fmt::format(" {} |", aligned.texts[line]);
        rule += std::string(aligned.texts.front().size() + 1, '-') + (aligned.isLeft ? "-|" : ":|");
    }
    lines.insert(lines.begin() + 1, rule);
    return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace meshreel
