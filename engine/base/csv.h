// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

/// The text as a field of RFC 4180, in quotation marks where it needs them.
std::string csvField(std::string_view text);

/// Reads a table as RFC 4180 has it, whose first row names its columns, row after row.
class CsvReader {
  public:
    /// Errors name `file` and say `fix`. Throws Error{Input} as next() does.
    CsvReader(std::string_view text, std::string file, Sentence fix);

    [[nodiscard]] const std::vector<std::string>& columns() const { return m_columns; }
    /// Whether these are the first columns.
    [[nodiscard]] bool beginsWith(std::span<const std::string_view> names) const;

    /// Goes to the next row; false behind the last. Throws Error{Input} where a quoted field does not end, or
    /// a row has another number of fields than there are columns.
    bool next();

    [[nodiscard]] const std::vector<std::string>& fields() const { return m_fields; }

    /// Throws Error{Input} where the field of this row is none.
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
    std::vector<std::string> m_columns;
    std::vector<std::string> m_fields;
    std::size_t m_line = 1;      // of m_fields
    std::size_t m_nextLine = 1;  // of m_rest
};

}  // namespace meshreel
