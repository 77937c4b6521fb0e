// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace meshreel {

/// A number, a text, or nothing where a quantity was not measured.
using DataCell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Numbers behind a chart or a comparison, for people's own tools. Every row has a cell for every column.
struct DataTable {
    std::vector<std::string> columns;
    std::vector<std::vector<DataCell>> rows;
};

/// As CsvReader reads it: numbers exactly, nothing as an empty field.
std::string csvOf(const DataTable& table);

/// [{column: value, ...}, ...], two spaces deep; nothing is null.
std::string jsonOf(const DataTable& table);

/// For a terminal: columns aligned, numbers right with at most three decimals, nothing as "-".
std::string alignedText(const DataTable& table);

/// The table in Markdown.
std::string markdownOf(const DataTable& table);

}  // namespace meshreel
