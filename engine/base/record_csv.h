// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

#include "engine/base/csv.h"
#include "engine/base/record.h"

namespace meshreel {

namespace detail {

inline std::string csvText(const std::string& value) {
    return csvField(value);
}

template <NamedEnum Enum>
std::string csvText(Enum value) {
    return csvField(enumName(value));
}

/// Every number reads back exactly.
template <typename Number>
requires std::integral<Number> || std::floating_point<Number> std::string csvText(Number value) {
    return fmt::format("{}", value);
}

template <typename Value>
Value csvValue(const CsvReader& row, std::size_t column) {
    if constexpr (std::same_as<Value, std::string>) {
        return row.fields().at(column);
    } else if constexpr (NamedEnum<Value>) {
        const std::optional<Value> value = enumNamed<Value>(row.fields().at(column));
        if (!value)
            row.fail(sentence("\"{}\" is not a row of {}", fmt::format("{}", fmt::join(row.fields(), ",")),
                              fmt::format("{}", fmt::join(row.columns(), ","))));
        return *value;
    } else {
        return row.number<Value>(column);
    }
}

}  // namespace detail

/// The names of the columns, "step,timestep".
template <Record Type>
std::string csvHeader() {
    std::string line;
    for (const std::string_view name : fieldNames<Type>())
        line.append(line.empty() ? "" : ",").append(csvField(name));
    return line;
}

/// The fields of a record, "3,500", without an end of line.
template <Record Type>
std::string csvRow(const Type& record) {
    std::string line;
    bool isFirst = true;
    forEachField<Type>([&](const auto& each) {
        line.append(isFirst ? "" : ",").append(detail::csvText(record.*each.member));
        isFirst = false;
    });
    return line;
}

/// Whether a table's columns, from number `first` on, are those of the records: all, or all but the last
/// ones, which earlier versions did not write.
template <Record Type>
bool hasColumns(const CsvReader& table, std::size_t first = 0) {
    if (table.columns().size() < first)
        return false;
    const auto columns = table.columns() | std::views::drop(first);
    std::size_t at = 0;
    bool matches = true;
    forEachField<Type>([&](const auto& each) {
        if (at < columns.size())
            matches = matches && columns[at] == each.name;
        else
            matches = matches && each.isLater;
        ++at;
    });
    return matches && columns.size() <= fieldCount<Type>;
}

/// The record in a row of a table that hasColumns(). Throws Error{Input} at "file:line" for a field that is
/// none.
template <Record Type>
Type takeRow(const CsvReader& row, std::size_t first = 0) {
    Type record;
    std::size_t column = first;
    forEachField<Type>([&]<typename Value>(const RecordField<Type, Value>& each) {
        if (column < row.columns().size())
            record.*each.member = detail::csvValue<Value>(row, column);
        ++column;
    });
    return record;
}

}  // namespace meshreel
