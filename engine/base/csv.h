// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/record.h"

namespace meshreel {

/// Returns the text as a field of RFC 4180, quoted when needed. Puts a "'" before text that a spreadsheet
/// would compute (it begins with = + - @ or a tab, and is not a number); CsvReader removes it.
std::string csvField(std::string_view text);

/// How a table is written that is not of our own.
struct CsvForm {
    char separator = ',';
    std::size_t firstLine = 1;  ///< line of the file that the text begins at
};

/// Reads a table as RFC 4180 has it, whose first row names its columns, row after row.
class CsvReader {
  public:
    /// Errors name `file` and say `fix`. Throws Error{Input} as next() does.
    CsvReader(std::string_view text, std::string file, Sentence fix, CsvForm form = {});

    [[nodiscard]] const std::vector<std::string>& columns() const { return m_columns; }
    /// Returns whether these are the first columns.
    [[nodiscard]] bool beginsWith(std::span<const std::string_view> names) const;

    /// Moves to the next row; returns false after the last. Throws Error{Input} when a quoted field does not
    /// end, or a row's number of fields differs from the number of columns.
    bool next();

    [[nodiscard]] const std::vector<std::string>& fields() const { return m_fields; }
    /// Returns where the row begins, counted from 1.
    [[nodiscard]] std::size_t line() const { return m_line; }

    /// Throws Error{Input} when the field of this row is none.
    template <typename Number>
    [[nodiscard]] Number number(std::size_t column) const {
        const std::string& field = m_fields.at(column);
        Number value{};
        const char* const last = field.data() + field.size();
        const auto [end, failure] = std::from_chars(field.data(), last, value);
        if (failure != std::errc() || end != last)
            failAtNumber(column);
        return value;
    }

    /// Throws Error{Input} at "file:line" of this row.
    [[noreturn]] void fail(const Sentence& problem) const;

  private:
    [[noreturn]] void failAtNumber(std::size_t column) const;
    [[nodiscard]] std::vector<std::string> takeRecord();
    [[nodiscard]] std::string takeField();
    [[nodiscard]] std::string takeQuotedField();

    std::string_view m_rest;
    std::string m_file;
    Sentence m_fix;
    CsvForm m_form;
    std::vector<std::string> m_columns;
    std::vector<std::string> m_fields;
    std::size_t m_line = 1;      // line of m_fields
    std::size_t m_nextLine = 1;  // line of m_rest
};

namespace detail {

inline std::string csvText(const std::string& value) {
    return csvField(value);
}

template <NamedEnum Enum>
std::string csvText(Enum value) {
    return csvField(enumName(value));
}

/// Formats a number so that it reads back exactly.
template <typename Number>
requires std::integral<Number> || std::floating_point<Number> std::string csvText(Number value) {
    return fmt::format("{}", value);
}

/// An absent value becomes an empty field.
template <typename Value>
std::string csvText(const std::optional<Value>& value) {
    return value ? csvText(*value) : std::string();
}

template <typename Type>
inline constexpr bool isOptional = false;
template <typename Value>
inline constexpr bool isOptional<std::optional<Value>> = true;

template <typename Value>
Value csvValue(const CsvReader& row, std::size_t column) {
    if constexpr (isOptional<Value>) {
        return row.fields().at(column).empty() ? Value()
                                               : Value(csvValue<typename Value::value_type>(row, column));
    } else if constexpr (std::same_as<Value, std::string>) {
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

/// Returns the names of the columns, "step,timestep".
template <Record Type>
std::string csvHeader() {
    std::string line;
    for (const std::string_view name : fieldNames<Type>())
        line.append(line.empty() ? "" : ",").append(csvField(name));
    return line;
}

/// Returns the fields of a record, "3,500", without an end of line.
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

/// Returns whether a table's columns, from number `first` on, are those of the records: all, or all but the
/// last ones, which earlier versions did not write.
template <Record Type>
bool hasColumns(const CsvReader& table, std::size_t first = 0) {
    if (table.columns().size() < first)
        return false;
    const auto columns = std::span(table.columns()).subspan(first);
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

/// Returns the record in a row of a table that hasColumns(). Throws Error{Input} at "file:line" for a field
/// that is none.
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
