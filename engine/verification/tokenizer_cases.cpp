// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/tokenizer_cases.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/limits.h"
#include "engine/text/prompt_cleaning.h"
#include "engine/text/tokenizer.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {
namespace {

using nlohmann::json;

constexpr std::string_view fastFile = "tokenizer.json";
constexpr std::string_view sentencePieceFile = "spiece.model";
constexpr const char* configFile = "tokenizer_config.json";
constexpr std::int64_t defaultMaxLength = 512;

// A tokenizer folder with both file formats opens as the fast tokenizer, so each format is tried in a folder
// of its own.
Tokenizer openAlone(const GoldenFiles& files, std::string_view file, const std::string& content) {
    const ScratchFolder folder;
    writeFileAtomically(folder.path() / file, content);
    if (files.has(configFile))
        writeFileAtomically(folder.path() / configFile, readFile(files.folder() / configFile));
    return Tokenizer::open(folder.path());
}

std::string withByteFallback(const std::string& tokenizerJson, const std::string& where) {
    json content = parseJsonObject(tokenizerJson, where);
    content["model"]["byte_fallback"] = true;
    return content.dump();
}

/// Counts the rows of table.json where something differs.
class RowCount {
  public:
    explicit RowCount(std::string output) : m_output(std::move(output)) {}

    void row(bool equal, std::size_t index) {
        ++m_rows;
        if (equal)
            return;
        if (m_differing++ == 0)
            m_first = index;
    }

    [[nodiscard]] GoldenRow result() const {
        GoldenRow row{
            .output = m_output, .maxAbsError = static_cast<double>(m_differing), .passed = m_differing == 0};
        row.note = std::to_string(m_differing) + " of " + std::to_string(m_rows) + " rows differ";
        if (m_differing > 0)
            row.note += ", first row " + std::to_string(m_first);
        return row;
    }

  private:
    std::string m_output;
    std::size_t m_rows = 0;
    std::size_t m_differing = 0;
    std::size_t m_first = 0;
};

/// The ids padded to maxLength with mask, as the text encoder gets them.
bool encodesTo(const Tokenizer& tokenizer, const std::string& cleaned, std::vector<std::int64_t> ids,
               std::int64_t maxLength) {
    const Tokenizer::Encoded encoded = tokenizer.encode(cleaned, maxLength);
    std::vector<std::int64_t> mask(ids.size(), 1);
    mask.resize(static_cast<std::size_t>(maxLength), 0);
    const auto length = static_cast<std::int64_t>(ids.size());
    ids.resize(static_cast<std::size_t>(maxLength), 0);
    return encoded.ids == ids && encoded.mask == mask && encoded.length == length;
}

struct Column {
    const char* name;
    const char* whenAbsent;  ///< the column that holds equal ids; null: rows without the key are left out
    std::string_view file;
    bool byteFallback;
};

constexpr std::array<Column, 3> idColumns{{{"ids_sp", nullptr, sentencePieceFile, false},
                                           {"ids_fast", nullptr, fastFile, false},
                                           {"ids_fast_byte_fallback", "ids_fast", fastFile, true}}};

void verifyIds(const Column& column, const json& table, std::int64_t maxLength, const GoldenFiles& files,
               GoldenComparison& comparison) {
    const auto holds = [&](const json& row) { return row.contains(column.name); };
    if (std::none_of(table.begin(), table.end(), holds))
        return;
    if (!files.has(column.file)) {
        comparison.fail(column.name, "not produced: the case has no " + std::string(column.file));
        return;
    }
    const std::string content = readFile(files.folder() / column.file, Limit::Json);
    const Tokenizer tokenizer =
        openAlone(files, column.file,
                  column.byteFallback ? withByteFallback(content, files.place(column.file)) : content);
    RowCount ids(column.name);
    RowCount length("n_full");
    for (std::size_t i = 0; i < table.size(); ++i) {
        const json& row = table[i];
        const char* key = holds(row) ? column.name : column.whenAbsent;
        if (key == nullptr || !row.contains(key))
            continue;
        const auto cleaned = row.at("cleaned").get<std::string>();
        ids.row(encodesTo(tokenizer, cleaned, row.at(key).get<std::vector<std::int64_t>>(), maxLength), i);
        if (column.file == sentencePieceFile && row.contains("n_full"))
            length.row(tokenizer.ids(cleaned).size() == row["n_full"].get<std::size_t>(), i);
    }
    comparison.add(ids.result());
    if (column.file == sentencePieceFile)
        comparison.add(length.result());
}

json readTable(const GoldenFiles& files) {
    // json::parse, not parseJsonObject: the table is an array.
    json table = json::parse(readFile(files.folder() / "table.json"), nullptr, false);
    const bool whole = table.is_array() && std::all_of(table.begin(), table.end(), [](const json& row) {
                           return row.is_object() && row.contains("text") && row.contains("cleaned");
                       });
    if (!whole)
        throw Error(ErrorKind::Input, sentence("This is no table of texts and their ids"),
                    files.place("table.json"), sentence("Restore the golden case"));
    return table;
}

}  // namespace

void verifyTokenizer(const Execution& /*execution*/, const GoldenFiles& files, GoldenComparison& comparison) {
    const json table = readTable(files);
    RowCount cleaned("cleaned");
    for (std::size_t i = 0; i < table.size(); ++i)
        cleaned.row(
            cleanPrompt(table[i].at("text").get<std::string>()) == table[i].at("cleaned").get<std::string>(),
            i);
    comparison.add(cleaned.result());

    std::int64_t maxLength = defaultMaxLength;
    if (files.has(configFile))
        maxLength = files.json(configFile).value("model_max_length", defaultMaxLength);
    for (const Column& column : idColumns)
        verifyIds(column, table, maxLength, files, comparison);
}

}  // namespace meshreel
