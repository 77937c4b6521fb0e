// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/import/maxdiffusion_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/project/decimal.h"
#include "engine/project/import/given_values.h"
#include "engine/project/import/maxdiffusion_keys.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 4> fateNames{"taken", "translated", "ignored", "refused"};
constexpr std::string_view ringKey = "ici_ring_parallelism";
constexpr std::string_view ulyssesKey = "ici_ulysses_parallelism";
constexpr std::string_view contextKey = "ici_context_parallelism";

/// What keys of MaxDiffusion say in other words: settings that take their place, or nothing where the value
/// is none that can be translated.
struct Translation {
    std::string_view name;
    std::optional<std::string> (*settings)(const GivenValues& given);  ///< "key=value"
};

std::optional<std::int64_t> positiveValue(const GivenValues& given, std::string_view name) {
    const auto found = given.values.find(name);
    if (found == given.values.end())
        return 1;
    const auto read = parseInteger(found->second.node.text);
    const auto* number = std::get_if<std::int64_t>(&read);
    constexpr std::int64_t most = 4096;
    return number != nullptr && *number > 0 && *number <= most ? std::optional(*number) : std::nullopt;
}

std::optional<std::string> contextOfDraft(const GivenValues& given) {
    const auto ring = positiveValue(given, ringKey);
    const auto ulysses = positiveValue(given, ulyssesKey);
    return ring && ulysses ? std::optional(fmt::format("{}={}", contextKey, *ring * *ulysses)) : std::nullopt;
}

std::optional<std::string> shardsOfDraft(const GivenValues& given) {
    const auto ulysses = positiveValue(given, ulyssesKey);
    return ulysses ? std::optional(fmt::format("ulysses_shards={}", *ulysses)) : std::nullopt;
}

/// A picture of this machine.
std::optional<std::string> localImage(const GivenValues& given) {
    const std::string& place = given.values.find("image_url")->second.node.text;
    const bool local = !place.empty() && place.find("://") == std::string::npos;
    return local ? std::optional("image=" + place) : std::nullopt;
}

constexpr std::array translations{
    Translation{ringKey, contextOfDraft},
    Translation{ulyssesKey, shardsOfDraft},
    Translation{"image_url", localImage},
};

bool isGiven(const GivenValues& given, std::string_view name) {
    return given.values.contains(name);
}

/// The settings in place of the keys that are given.
std::vector<std::pair<std::string_view, std::string>> translated(const GivenValues& given) {
    std::vector<std::pair<std::string_view, std::string>> settings;
    for (const Translation& row : translations)
        if (isGiven(given, row.name))
            if (std::optional<std::string> setting = row.settings(given))
                settings.emplace_back(row.name, std::move(*setting));
    return settings;
}

/// "key=value" as a project file has it.
std::string asLine(const std::string& setting) {
    const std::size_t equals = setting.find('=');
    return setting.substr(0, equals) + ": " + setting.substr(equals + 1);
}

/// Problems of reading, without those that the project has by itself.
std::vector<ProjectProblem> withoutOwn(const std::vector<ProjectProblem>& all,
                                       const std::vector<ProjectProblem>& own) {
    std::vector<ProjectProblem> others;
    std::ranges::copy_if(all, std::back_inserter(others), [&own](const ProjectProblem& problem) {
        return std::ranges::none_of(own, [&problem](const ProjectProblem& other) {
            return other.key == problem.key && other.message == problem.message;
        });
    });
    return others;
}

/// Tells the fate of each key.
class ImportReport {
  public:
    ImportReport(const GivenValues& given, const Project& project, std::vector<ProjectProblem> problems)
        : m_given(given),
          m_project(project),
          m_problems(std::move(problems)),
          m_translated(translated(given)) {}

    [[nodiscard]] ImportedKey of(const std::string& name, const GivenValue& value) const {
        ImportedKey key{.name = name, .file = value.file, .line = value.line, .result = {}, .reason = {}};
        const auto setting = std::ranges::find(m_translated, std::string_view(name),
                                               &std::pair<std::string_view, std::string>::first);
        if (setting != m_translated.end()) {
            key.fate = ImportFate::Translated;
            key.result = asLine(setting->second);
        } else if (name == contextKey && (isGiven(m_given, ringKey) || isGiven(m_given, ulyssesKey))) {
            key.fate = ImportFate::Ignored;
            key.reason = sentence("{} and {} say it", ringKey, ulyssesKey);
        } else if (const ProjectProblem* problem = problemOf(name)) {
            key.fate = problem->severity == Severity::Error ? ImportFate::Refused : ImportFate::Ignored;
            key.reason = problem->hint.empty() ? problem->message
                                               : sentence("{}. {}", problem->message, problem->hint);
        } else if (const ProjectKey* own = findProjectKey(name)) {
            key.result = fmt::format("{}: {}", name, valueText(m_project, *own));
        } else {
            describeOther(name, key);
        }
        return key;
    }

  private:
    [[nodiscard]] const ProjectProblem* problemOf(std::string_view name) const {
        const auto found = std::ranges::find(m_problems, name, &ProjectProblem::key);
        return found == m_problems.end() ? nullptr : &*found;
    }

    void describeOther(const std::string& name, ImportedKey& key) const {
        if (name == "lora_config" && !m_project.lora.empty()) {
            key.fate = ImportFate::Translated;
            key.result = "lora: " + loraText(m_project.lora);
            return;
        }
        key.fate = ImportFate::Ignored;
        const auto foreign = findForeignKey(name);
        const bool noMeaning = foreign && foreign->effect == ForeignEffect::Ignored;
        key.reason = noMeaning ? foreign->reason : sentence("this is how it is here");
    }

    const GivenValues& m_given;
    const Project& m_project;
    std::vector<ProjectProblem> m_problems;
    std::vector<std::pair<std::string_view, std::string>> m_translated;
};

/// What the words say to a project: settings in place of what was translated.
std::vector<std::string> projectWords(const GivenValues& given, std::span<const std::string> words) {
    const auto settings = translated(given);
    std::vector<std::string> all;
    std::ranges::copy_if(words, std::back_inserter(all), [&settings](const std::string& word) {
        const std::string_view name = std::string_view(word).substr(0, word.find('='));
        return std::ranges::none_of(settings, [name](const auto& setting) { return setting.first == name; });
    });
    for (const auto& [name, setting] : settings)
        all.push_back(setting);
    return all;
}

}  // namespace

std::string_view nameOf(ImportFate fate) {
    return fateNames[static_cast<std::size_t>(fate)];
}

bool isMaxDiffusionConfig(const std::string& text) {
    GivenValues given;
    given.addFile(text, {});
    return !isGiven(given, "version") && std::ranges::any_of(given.values, [](const auto& entry) {
        return findForeignKey(entry.first) ||
               std::ranges::count(translations, entry.first, &Translation::name) > 0;
    });
}

MaxDiffusionImport importMaxDiffusion(const std::string& text, const std::string& fileName,
                                      std::span<const std::string> words) {
    GivenValues given;
    given.addFile(text, fileName);
    for (const std::string& word : words)
        given.addOverride(word);
    LoadedProject loaded = readProject(text, fileName, projectWords(given, words));
    MaxDiffusionImport result{.project = std::move(loaded.project), .keys = {}, .problems = {}};
    std::vector<ProjectProblem> own = validate(result.project);
    const ImportReport report(given, result.project, withoutOwn(loaded.problems, own));
    for (const auto& [name, value] : given.values)
        result.keys.push_back(report.of(name, value));
    std::ranges::stable_sort(result.keys, [](const ImportedKey& a, const ImportedKey& b) {
        const bool aFile = a.line > 0;
        const bool bFile = b.line > 0;
        return aFile != bFile ? aFile : a.line < b.line;
    });
    result.problems = std::move(given.problems);
    std::ranges::move(own, std::back_inserter(result.problems));
    return result;
}

}  // namespace meshreel
