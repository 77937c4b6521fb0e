// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/prompt_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "engine/base/csv.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/written_text.h"
#include "engine/project/input_files.h"
#include "engine/project/other_names.h"
#include "engine/project/project_keys.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

std::string trimmedField(std::string_view field) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = field.find_first_not_of(blanks);
    return first == std::string_view::npos
               ? std::string()
               : std::string(field.substr(first, field.find_last_not_of(blanks) + 1 - first));
}

/// A table, and how its fields are parted.
struct BareTable {
    std::string_view text;
    CsvForm form;
};

/// Where commas part decimals, spreadsheets part columns by semicolons; others write tabs. Names of keys hold
/// none of these.
char separatorOf(std::string_view firstLine) {
    constexpr std::string_view separators = ",;\t";
    const std::size_t found = firstLine.find_first_of(separators);
    return found == std::string_view::npos ? ',' : firstLine[found];
}

/// Without the mark and the line "sep=;" that spreadsheets put first, and the empty lines that editors leave
/// at the end.
BareTable bareTable(std::string_view text, const std::string& fileName) {
    text = withoutByteOrderMark(text);
    if (firstInvalidUtf8(text))
        throw ProjectError({{.id = "table-malformed",
                             .place = {.file = fileName},
                             .message = sentence("The table is not UTF-8"),
                             .fixes = byHand(sentence("Save it as CSV in UTF-8"))}});
    text = text.substr(0, text.find_last_not_of("\r\n") + 1);
    BareTable table{.text = text, .form = {}};
    std::string_view first = text.substr(0, text.find_first_of("\r\n"));
    if (constexpr std::string_view notice = "sep="; first.starts_with(notice)) {
        table.text.remove_prefix(first.size());
        table.text.remove_prefix(
            table.text.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, table.text.size()));
        table.form.firstLine = 2;
        first = table.text.substr(0, table.text.find_first_of("\r\n"));
    }
    table.form.separator = separatorOf(first);
    return table;
}

bool isReal(const ProjectKey& key) {
    return std::holds_alternative<double Project::*>(key.member);
}

/// "3,5" as "3.5": a number of a table whose fields semicolons or tabs part.
std::string withDecimalPoint(const std::string& value) {
    const std::size_t comma = value.find(',');
    const std::size_t sign = value.starts_with('-') || value.starts_with('+') ? 1 : 0;
    constexpr std::string_view decimals = "0123456789";
    if (comma == std::string::npos || comma == sign || comma + 1 == value.size() ||
        value.find_first_not_of(decimals, sign) != comma ||
        value.find_first_not_of(decimals, comma + 1) != std::string::npos)
        return value;
    std::string point = value;
    point[comma] = '.';
    return point;
}

CsvReader tableRows(std::string_view text, const std::string& fileName) {
    const BareTable table = bareTable(text, fileName);
    return {table.text, fileName,
            sentence("Write a field for each column, those with commas or quotes in quotes"), table.form};
}

/// Collects a table and everything that is wrong with it.
class TableReader {
  public:
    TableReader(std::string_view text, const std::string& fileName, const Project& base)
        : m_base(base), m_form(bareTable(text, fileName).form), m_rows(tableRows(text, fileName)) {
        m_table.file = fileName;
    }

    PromptTable read() {
        readColumns();
        throwProblems();
        while (m_rows.next() && m_table.runs.size() <= mostTableRuns)
            readRow();
        if (m_table.runs.empty())
            report(1, {}, sentence("The table has no row below its keys"),
                   sentence("Write a run on each line below them"));
        if (m_table.runs.size() > mostTableRuns)
            report(0, {}, sentence("The table has more than {} rows, the most that are run", mostTableRuns),
                   sentence("Make several tables of it"));
        throwProblems();
        return std::move(m_table);
    }

  private:
    void readColumns() {
        for (std::size_t column = 0; column < m_rows.columns().size(); ++column) {
            const std::string name = trimmedField(plainText(m_rows.columns()[column]));
            const ProjectKey* key = findProjectKey(name);
            if (name.empty())
                report(1, {}, sentence("Column {} names no key", column + 1),
                       sentence("Write the name of a key, such as prompt or seed"));
            else if (key == nullptr)
                reportUnknown(name);
            else if (std::ranges::find(m_table.columns, key) != m_table.columns.end())
                report(1, name, sentence("Two columns are called {}", name), sentence("Remove one of them"));
            m_table.columns.push_back(key);
        }
        const auto hasColumn = [this](std::string_view name) {
            return std::ranges::find(m_table.columns, findProjectKey(name)) != m_table.columns.end();
        };
        if (!m_base.batchPrompts.empty() && hasColumn("prompt") && !hasColumn("batch_prompts"))
            report(1, "prompt", sentence("The project makes its batch_prompts, and no prompt of a table"),
                   sentence("Clear batch_prompts, or call the column batch_prompts"));
        if (m_table.columns.empty())
            report(1, {}, sentence("The table is empty"),
                   sentence("Begin with a row of keys, such as prompt,seed"));
    }

    void reportUnknown(const std::string& name) {
        std::vector<std::string_view> names;
        for (const ProjectKey& key : projectKeys())
            names.push_back(key.name);
        std::string_view near = findOtherKey(name);
        if (near.empty())
            near = nearestName(name, names);
        Sentence cure = near.empty() ? sentence("docs/project-keys.md lists all keys")
                                     : sentence("Did you mean \"{}\"?", near);
        m_problems.push_back(
            {.id = "table-column-unknown",
             .place = {.file = m_table.file, .line = 1},
             .message = sentence("There is no key \"{:.80}\" for a column of the table", name),
             .fixes = byHand(std::move(cure))});
    }

    void readRow() {
        TableRun run{.line = static_cast<int>(m_rows.line()), .changes = {}};
        for (std::size_t column = 0; column < m_table.columns.size(); ++column)
            if (std::string value = trimmedField(m_rows.fields()[column]); !value.empty()) {
                const ProjectKey& key = *m_table.columns[column];
                if (m_form.separator != ',' && isReal(key))
                    value = withDecimalPoint(value);
                run.changes.push_back({.key = std::string(key.name), .value = std::move(value)});
            }
        Project project = m_base;
        for (const bool deciding : {true, false})  // as setFromTexts() does, with every problem
            for (const KeyChange& change : run.changes) {
                const ProjectKey& key = *findProjectKey(change.key);
                if (decidesDefaults(key) != deciding)
                    continue;
                if (std::optional<Problem> refused = trySetFromText(project, key, change.value)) {
                    refused->place = {.file = m_table.file, .line = run.line};
                    m_problems.push_back(*std::move(refused));
                }
            }
        if (!run.changes.empty())
            m_table.runs.push_back(std::move(run));
    }

    void report(int line, const std::string& key, Sentence message, Sentence cure) {
        m_problems.push_back({.id = "table-malformed",
                              .key = key,
                              .place = {.file = m_table.file, .line = line},
                              .message = std::move(message),
                              .fixes = byHand(std::move(cure))});
    }

    void throwProblems() {
        if (hasErrors(m_problems))
            throw ProjectError(std::move(m_problems));
    }

    const Project& m_base;
    CsvForm m_form;
    CsvReader m_rows;
    PromptTable m_table;
    std::vector<Problem> m_problems;
};

/// Whether paths of the key begin at the folder of the file that names them.
bool beginsAtItsFolder(const ProjectKey& key) {
    constexpr std::array fromFolder{KeyAccess::Media, KeyAccess::Figures, KeyAccess::Words};
    return std::ranges::find(fromFolder, findAccess(key)) != fromFolder.end();
}

/// The row's values alone, in a project that has nothing else.
Project ownValues(const TableRun& run) {
    Project own;
    setFromTexts(own, run.changes);
    return own;
}

}  // namespace

PromptTable readPromptTable(std::string_view text, const std::string& fileName, const Project& base) {
    return TableReader(text, fileName, base).read();
}

PromptTable loadPromptTable(const fs::path& file, const Project& base) {
    PromptTable table = readPromptTable(readFile(file), wellFormedUtf8(withTilde(file)), base);
    table.folder = fs::absolute(file).parent_path();
    for (TableRun& run : table.runs) {
        const Project own = withInputsIn(ownValues(run), table.folder);
        for (KeyChange& change : run.changes)
            if (const ProjectKey& key = *findProjectKey(change.key); beginsAtItsFolder(key))
                change.value = valueText(own, key);
    }
    return table;
}

Project tableProject(const Project& base, const TableRun& run) {
    Project project = base;
    setFromTexts(project, run.changes);
    return project;
}

TrustQuestion askTrust(const PromptTable& table) {
    TrustQuestion all{.folder = table.folder, .paths = {}};
    for (const TableRun& run : table.runs) {
        TrustQuestion question = askTrust(ownValues(run), table.folder, ProjectSource::File);
        all.folder = question.folder;
        for (AskedPath& asked : question.paths) {
            const bool isKnown = std::ranges::any_of(all.paths, [&](const AskedPath& known) {
                return known.key == asked.key && known.path == asked.path;
            });
            asked.place = {.file = table.file, .line = run.line};
            if (!isKnown)
                all.paths.push_back(std::move(asked));
        }
    }
    return all;
}

}  // namespace meshreel
