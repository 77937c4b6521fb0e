// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/written_text.h"

namespace meshreel {

namespace {

constexpr char textMark = '\'';  // people type it in spreadsheets: text follows

bool isNumber(std::string_view text) {
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, failure] = std::from_chars(text.data(), last, value);
    return failure == std::errc() && end == last;
}

/// A spreadsheet would compute it, and may start programs by it; or it is such a text with marks before it,
/// which has to come back with them.
bool needsMark(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(textMark), text.size()));
    constexpr std::string_view begins = "=+-@\t\r";
    return text.size() > 1 && begins.find(text.front()) != std::string_view::npos && !isNumber(text);
}

std::string withoutTextMark(std::string field) {
    if (field.starts_with(textMark) && needsMark(std::string_view(field).substr(1)))
        field.erase(0, 1);
    return field;
}

}  // namespace

std::string csvField(std::string_view text) {
    const std::string marked = needsMark(text) ? textMark + std::string(text) : std::string();
    if (!marked.empty())
        text = marked;
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

CsvReader::CsvReader(std::string_view text, std::string file, Sentence fix, CsvForm form)
    : m_rest(text), m_file(std::move(file)), m_fix(std::move(fix)), m_form(form), m_nextLine(form.firstLine) {
    if (!m_rest.empty())
        m_columns = takeRecord();
}

bool CsvReader::beginsWith(std::span<const std::string_view> names) const {
    return m_columns.size() >= names.size() &&
           std::ranges::equal(names, std::span(m_columns).first(names.size()));
}

bool CsvReader::next() {
    if (m_rest.empty())
        return false;
    m_fields = takeRecord();
    if (m_fields.size() != m_columns.size())
        fail(sentence("This row has {} fields in place of {}", m_fields.size(), m_columns.size()));
    return true;
}

std::vector<std::string> CsvReader::takeRecord() {
    m_line = m_nextLine;
    requireWithin(Limit::TableRows, m_line, m_file);
    const std::string_view before = m_rest;
    std::vector<std::string> record;
    char end = m_form.separator;
    while (end == m_form.separator) {
        record.push_back(withoutTextMark(takeField()));
        requireWithin(Limit::TableColumns, record.size(), m_file);
        end = m_rest.empty() ? '\n' : m_rest.front();
        m_rest.remove_prefix(m_rest.empty() ? 0 : 1);
        if (end == '\r' && m_rest.starts_with('\n'))
            m_rest.remove_prefix(1);
    }
    m_nextLine += countLineEnds(before.substr(0, before.size() - m_rest.size()));
    return record;
}

/// Leaves what ends it.
std::string CsvReader::takeField() {
    if (m_rest.starts_with('"'))
        return takeQuotedField();
    const std::array ends{m_form.separator, '\r', '\n'};
    const std::string_view field =
        m_rest.substr(0, m_rest.find_first_of(std::string_view(ends.data(), ends.size())));
    m_rest.remove_prefix(field.size());
    return std::string(field);
}

std::string CsvReader::takeQuotedField() {
    std::string field;
    m_rest.remove_prefix(1);
    for (std::size_t quote = m_rest.find('"'); quote != std::string_view::npos; quote = m_rest.find('"')) {
        field += m_rest.substr(0, quote);
        m_rest.remove_prefix(quote + 1);
        if (!m_rest.starts_with('"'))
            return field;
        field += '"';
        m_rest.remove_prefix(1);
    }
    fail(sentence("a quoted field of this table does not end"));
}

void CsvReader::failAtNumber(std::size_t column) const {
    fail(sentence("\"{}\" is not a number for {}", m_fields.at(column), m_columns.at(column)));
}

void CsvReader::fail(const Sentence& problem) const {
    throw Error(ErrorKind::Input, problem, fmt::format("{}:{}", m_file, m_line), m_fix);
}

}  // namespace meshreel
