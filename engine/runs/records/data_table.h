// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/record.h"

namespace meshreel {

/// A number, a text, or nothing when a quantity was not measured.
using DataCell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Numbers behind a chart or a comparison, for people's own tools. Every row has a cell for every column.
struct DataTable {
    std::vector<std::string> columns;
    std::vector<std::vector<DataCell>> rows;
};

/// Returns a table without rows, whose columns are the fields of a record.
template <Record Type>
DataTable recordTable() {
    constexpr auto names = fieldNames<Type>();
    return {.columns = {names.begin(), names.end()}, .rows = {}};
}

/// Returns the row of a record: a cell a field.
template <Record Type>
std::vector<DataCell> cells(const Type& record) {
    std::vector<DataCell> row;
    forEachField<Type>([&]<typename Value>(const RecordField<Type, Value>& each) {
        const Value& value = record.*each.member;
        if constexpr (std::same_as<Value, std::optional<double>>)
            row.push_back(value ? DataCell(*value) : DataCell());
        else if constexpr (NamedEnum<Value>)
            row.emplace_back(std::string(enumName(value)));
        else if constexpr (std::integral<Value>)
            row.emplace_back(static_cast<std::int64_t>(value));
        else
            row.emplace_back(value);
    });
    return row;
}

/// Returns the table as CsvReader reads it: numbers exactly, absent values as empty fields.
std::string toCsv(const DataTable& table);

/// [{column: value, ...}, ...], two spaces deep; nothing is null.
std::string makeJson(const DataTable& table);

/// Returns the table for a terminal: columns aligned, numbers right-aligned with at most three decimals,
/// absent values as "-".
std::string alignedText(const DataTable& table);

/// Returns the table in Markdown.
std::string toMarkdown(const DataTable& table);

}  // namespace meshreel
