// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/maxdiffusion_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/project/maxdiffusion_keys.h"
#include "engine/project/numbers.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_reader.h"

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 4> fateNames{"taken", "translated", "ignored", "refused"};
constexpr std::string_view ringKey = "ici_ring_parallelism";
constexpr std::string_view ulyssesKey = "ici_ulysses_parallelism";
constexpr std::string_view contextKey = "ici_context_parallelism";
constexpr std::string_view modelKey = "pretrained_model_name_or_path";

constexpr std::int64_t mostDevices = 4096;  ///< along an axis of the draft

using Settings = std::vector<KeyChange>;

struct ConfigModel {
    std::string_view config;  ///< a file of MaxDiffusion's src/maxdiffusion/configs, without its ending
    std::string_view model;   ///< its pretrained_model_name_or_path
};

// The Wan configs in MaxDiffusion's history up to November 2026.
constexpr std::array configModels{
    ConfigModel{"base_wan_14b", "Wan-AI/Wan2.1-T2V-14B-Diffusers"},
    ConfigModel{"base_wan_14b_v7_8_2d_context", "Wan-AI/Wan2.1-T2V-14B-Diffusers"},
    ConfigModel{"base_wan_1_3b", "Wan-AI/Wan2.1-T2V-1.3B-Diffusers"},
    ConfigModel{"base_wan_27b", "Wan-AI/Wan2.2-T2V-A14B-Diffusers"},
    ConfigModel{"base_wan_27b_v6e", "Wan-AI/Wan2.2-T2V-A14B-Diffusers"},
    ConfigModel{"base_wan_animate", "Wan-AI/Wan2.2-Animate-14B-Diffusers"},
    ConfigModel{"base_wan_animate_27b", "Wan-AI/Wan2.2-Animate-14B-Diffusers"},
    ConfigModel{"base_wan_i2v_14b", "Wan-AI/Wan2.1-I2V-14B-720P-Diffusers"},
    ConfigModel{"base_wan_i2v_27b", "Wan-AI/Wan2.2-I2V-A14B-Diffusers"},
    ConfigModel{"base_wan_lora_14b", "Wan-AI/Wan2.1-T2V-14B-Diffusers"},
    ConfigModel{"base_wan_lora_27b", "Wan-AI/Wan2.2-T2V-A14B-Diffusers"},
    ConfigModel{"base_wan_t2v", "Wan-AI/Wan2.1-T2V-14B-Diffusers"},
};

bool isConfigName(std::string_view word) {
    return word.ends_with(".yml") || word.ends_with(".yaml");
}

/// The last part of a path or a bare name, with either kind of slash.
std::string_view fileNameOf(std::string_view path) {
    return path.substr(path.find_last_of("/\\") + 1);
}

/// The file's name without folders and ending.
std::string_view stemOf(std::string_view config) {
    const std::string_view name = fileNameOf(config);
    const std::size_t ending = name.rfind('.');
    return ending == std::string_view::npos || ending == 0 ? name : name.substr(0, ending);
}

/// What keys of MaxDiffusion say in other words: settings that take their place, or none when the value is
/// none that can be translated.
struct Translation {
    std::string_view name;
    Settings (*settings)(const GivenValues& given);
};

bool isGiven(const GivenValues& given, std::string_view name) {
    return given.values.contains(name);
}

/// Returns nothing when it is not given, or is not such a number.
std::optional<std::int64_t> devicesAlong(const GivenValues& given, std::string_view name) {
    if (!isGiven(given, name))
        return std::nullopt;
    const auto read = parseInteger(given.values.find(name)->second.node.text);
    const auto* number = std::get_if<std::int64_t>(&read);
    return number != nullptr && *number > 0 && *number <= mostDevices ? std::optional(*number) : std::nullopt;
}

KeyChange contextOfDraft(const GivenValues& given) {
    const std::int64_t devices =
        devicesAlong(given, ringKey).value_or(1) * devicesAlong(given, ulyssesKey).value_or(1);
    return {.key = std::string(contextKey), .value = std::to_string(devices)};
}

Settings settingsOfRing(const GivenValues& given) {
    return devicesAlong(given, ringKey) ? Settings{contextOfDraft(given)} : Settings{};
}

/// Where the ring says nothing, these devices are the context axis.
Settings settingsOfUlysses(const GivenValues& given) {
    const auto ulysses = devicesAlong(given, ulyssesKey);
    if (!ulysses)
        return {};
    Settings settings{{.key = "ulysses_shards", .value = std::to_string(*ulysses)}};
    if (!devicesAlong(given, ringKey))
        settings.push_back(contextOfDraft(given));
    return settings;
}

/// A picture of this machine.
Settings localImage(const GivenValues& given) {
    const std::string& place = given.values.find("image_url")->second.node.text;
    const bool local = !place.empty() && place.find("://") == std::string::npos;
    return local ? Settings{{.key = "image", .value = place}} : Settings{};
}

constexpr std::string_view svgKey = "use_svg_attention";
constexpr std::string_view svgFirstStep = "svg_active_start_step";
constexpr std::string_view svgEndStep = "svg_active_end_step";
constexpr std::string_view svgFirstLayer = "svg_active_start_layer";
constexpr std::string_view svgEndLayer = "svg_active_end_layer";

bool usesSvg(const GivenValues& given) {
    if (!isGiven(given, svgKey))
        return false;
    static constexpr std::array<std::string_view, 3> on{"true", "True", "TRUE"};
    return std::ranges::find(on, given.values.find(svgKey)->second.node.text) != on.end();
}

/// Returns nothing when it is not given, or below 0, which MaxDiffusion takes as not given.
std::optional<std::int64_t> countOf(const GivenValues& given, std::string_view name) {
    if (!isGiven(given, name))
        return std::nullopt;
    const auto read = parseInteger(given.values.find(name)->second.node.text);
    const auto* number = std::get_if<std::int64_t>(&read);
    return number != nullptr && *number >= 0 ? std::optional(*number) : std::nullopt;
}

/// The place of a step as a share of the run's steps.
std::string shareOfSteps(const GivenValues& given, std::int64_t step) {
    const std::int64_t steps = countOf(given, "num_inference_steps").value_or(Project().numInferenceSteps);
    return fmt::format("{}", std::min(1.0, static_cast<double>(step) /
                                               static_cast<double>(std::max<std::int64_t>(1, steps))));
}

/// MaxDiffusion's own attention has no shortest sequence, and no dense steps unless they are given.
Settings settingsOfSvg(const GivenValues& given) {
    if (!usesSvg(given))
        return {};
    Settings settings{{.key = "sparse_attention", .value = "svg"},
                      {.key = "sparse_min_tokens", .value = "0"}};
    if (!countOf(given, svgFirstStep))
        settings.push_back({.key = "sparse_start_percent", .value = "0"});
    return settings;
}

Settings settingsOfSvgFirstStep(const GivenValues& given) {
    const auto step = countOf(given, svgFirstStep);
    return step && usesSvg(given)
               ? Settings{{.key = "sparse_start_percent", .value = shareOfSteps(given, *step)}}
               : Settings{};
}

Settings settingsOfSvgEndStep(const GivenValues& given) {
    const auto step = countOf(given, svgEndStep);
    return step && usesSvg(given)
               ? Settings{{.key = "sparse_end_percent", .value = shareOfSteps(given, *step)}}
               : Settings{};
}

/// Layers before the first and behind the last that is sparse, of as many as a Wan model has at most.
Settings settingsOfSvgLayers(const GivenValues& given) {
    constexpr std::int64_t layersAtMost = 40;
    const auto first = countOf(given, svgFirstLayer);
    const auto end = countOf(given, svgEndLayer);
    if ((!first && !end) || !usesSvg(given))
        return {};
    std::string layers;
    for (std::int64_t layer = 0; layer < layersAtMost; ++layer)
        if (layer < first.value_or(0) || layer >= end.value_or(layersAtMost))
            layers += fmt::format("{}{}", layers.empty() ? "" : ", ", layer);
    return {{.key = "sparse_dense_layers", .value = layers}};
}

constexpr std::array translations{
    Translation{ringKey, settingsOfRing},
    Translation{ulyssesKey, settingsOfUlysses},
    Translation{"image_url", localImage},
    Translation{svgKey, settingsOfSvg},
    Translation{svgFirstStep, settingsOfSvgFirstStep},
    Translation{svgEndStep, settingsOfSvgEndStep},
    Translation{svgFirstLayer, settingsOfSvgLayers},
    Translation{svgEndLayer, settingsOfSvgLayers},
};

bool isOfDraft(std::string_view name) {
    return name == ringKey || name == ulyssesKey;
}

/// The settings in place of the keys that are given.
std::vector<std::pair<std::string_view, Settings>> translated(const GivenValues& given) {
    std::vector<std::pair<std::string_view, Settings>> found;
    for (const Translation& row : translations)
        if (isGiven(given, row.name))
            if (Settings settings = row.settings(given); !settings.empty())
                found.emplace_back(row.name, std::move(settings));
    return found;
}

/// The settings as a project file has them.
std::string linesOf(const Settings& settings) {
    std::string lines;
    for (const KeyChange& setting : settings)
        lines += fmt::format("{}{}: {}", lines.empty() ? "" : ", ", setting.key, setting.value);
    return lines;
}

/// "key=value"; other words of a command line are none.
bool isSetting(const std::string& word) {
    const std::size_t equals = word.find('=');
    return equals != std::string::npos && equals > 0 && !word.starts_with('-');
}

ImportedKey ignoredWord(const std::string& word) {
    ImportedKey key{
        .name = word, .file = overrideSource, .fate = ImportFate::Ignored, .result = {}, .reason = {}};
    const std::size_t name = word.find_first_not_of('-');
    if (name != std::string::npos && name > 0 && word.find('=', name) != std::string::npos)
        key.reason = sentence("settings have no dashes before them: write {}", word.substr(name));
    else
        key.reason = sentence("this word sets nothing; a value of several words needs quotes around it");
    return key;
}

/// Problems of reading, without those that the project has by itself.
std::vector<Problem> withoutOwn(const std::vector<Problem>& all, const std::vector<Problem>& own) {
    std::vector<Problem> others;
    std::ranges::copy_if(all, std::back_inserter(others),
                         [&own](const Problem& problem) { return !hasFault(own, problem); });
    return others;
}

/// Tells the fate of each key.
class ImportReport {
  public:
    ImportReport(const GivenValues& given, const Project& project, std::vector<Problem> problems)
        : m_given(given),
          m_project(project),
          m_problems(std::move(problems)),
          m_translated(translated(given)) {}

    [[nodiscard]] ImportedKey of(const std::string& name, const GivenValue& value) const {
        ImportedKey key{.name = name, .file = value.file, .line = value.line, .result = {}, .reason = {}};
        const auto setting = std::ranges::find(m_translated, std::string_view(name),
                                               &std::pair<std::string_view, Settings>::first);
        if (setting != m_translated.end()) {
            key.fate = ImportFate::Translated;
            key.result = linesOf(setting->second);
        } else if (isOfDraft(name)) {
            key.fate = ImportFate::Refused;
            key.reason =
                sentence("this is not a number of devices: write a whole number from 1 to {}", mostDevices);
        } else if (name == contextKey &&
                   (devicesAlong(m_given, ringKey) || devicesAlong(m_given, ulyssesKey))) {
            key.fate = ImportFate::Ignored;
            key.reason = sentence("{} and {} say it", ringKey, ulyssesKey);
        } else if (const Problem* problem = problemOf(name)) {
            key.fate = problem->severity == Severity::Error ? ImportFate::Refused : ImportFate::Ignored;
            key.reason = problem->hint().empty() ? problem->message
                                                 : sentence("{}. {}", problem->message, problem->hint());
        } else if (const ProjectKey* own = findProjectKey(name)) {
            key.result = fmt::format("{}: {}", name, valueText(m_project, *own));
        } else {
            describeOther(name, key);
        }
        return key;
    }

  private:
    [[nodiscard]] const Problem* problemOf(std::string_view name) const {
        const auto found = std::ranges::find(m_problems, name, &Problem::key);
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
    std::vector<Problem> m_problems;
    std::vector<std::pair<std::string_view, Settings>> m_translated;
};

/// Returns the model that the config's name stands for; nothing when one is named, or without a config.
std::optional<std::string> impliedModel(const GivenValues& given, const std::string& config) {
    if (config.empty() || isGiven(given, modelKey))
        return std::nullopt;
    return std::string(modelOfConfig(config).value_or(stemOf(config)));
}

/// What is to be said of a model that nobody named.
std::vector<Problem> problemsOfModel(const GivenValues& given, const std::string& config) {
    if (isGiven(given, modelKey) || !given.complete)
        return {};
    const Sentence hint = sentence("Write pretrained_model_name_or_path=NAME");
    if (config.empty())
        return {{.id = "model-not-named",
                 .severity = Severity::Warning,
                 .key = std::string(modelKey),
                 .message = sentence("No config and no model is named, so the model is Meshreel's own, {}",
                                     Project().model),
                 .fixes = byHand(hint)}};
    if (!modelOfConfig(config))
        return {{.id = "config-unknown",
                 .key = std::string(modelKey),
                 .message = sentence("{} is not a config of MaxDiffusion that Meshreel knows the model of",
                                     fileNameOf(config)),
                 .fixes = byHand(hint)}};
    return {};
}

bool isKnownKey(std::string_view name) {
    return findProjectKey(name) != nullptr || findForeignKey(name) || name == "version" ||
           name == "lora_config" || name == "enable_lora" ||
           std::ranges::count(translations, name, &Translation::name) > 0;
}

bool hasKnownKey(const GivenValues& given) {
    return std::ranges::any_of(given.values, [](const auto& entry) { return isKnownKey(entry.first); });
}

/// Keys that files of many programs have: they show nothing of a file.
constexpr std::array<std::string_view, 9> commonKeys{
    "fps", "guidance_scale", "height", "name", "negative_prompt", "num_frames", "prompt", "seed", "width"};

/// Returns whether a key is there that MaxDiffusion or Meshreel alone has.
bool hasOwnKey(const GivenValues& given) {
    return std::ranges::any_of(given.values, [](const auto& entry) {
        return isKnownKey(entry.first) && !std::ranges::count(commonKeys, entry.first);
    });
}

/// Returns whether the config's contents are known: from its text and the model that it, its name or the
/// words after it give, or, if only its name is there, from that model.
bool isKnownConfig(const GivenValues& config, const GivenValues& given, const std::string& text) {
    if (given.file.empty())
        return hasKnownKey(given);
    const bool isModelKnown = modelOfConfig(given.file).has_value() || isGiven(given, modelKey);
    if (text.empty())
        return isModelKnown;
    return config.complete && (isModelKnown ? hasKnownKey(config) : hasOwnKey(config));
}

/// What the words say to a project: settings in place of what was translated, and the model.
std::vector<std::string> projectWords(const GivenValues& given, std::span<const std::string> words,
                                      const std::optional<std::string>& model) {
    const auto found = translated(given);
    std::vector<std::string> all;
    std::ranges::copy_if(words, std::back_inserter(all), [&found](const std::string& word) {
        const std::string_view name = std::string_view(word).substr(0, word.find('='));
        return std::ranges::none_of(found, [name](const auto& each) { return each.first == name; });
    });
    for (const auto& [name, settings] : found)
        for (const KeyChange& setting : settings)
            if (std::string word = setting.key + '=' + setting.value; !std::ranges::count(all, word))
                all.push_back(std::move(word));
    if (model)
        all.push_back(std::string(modelKey) + '=' + *model);
    return all;
}

}  // namespace

std::string_view nameOf(ImportFate fate) {
    return fateNames[static_cast<std::size_t>(fate)];
}

MaxDiffusionCommand readMaxDiffusionCommand(std::span<const std::string> words) {
    MaxDiffusionCommand command;
    bool started = false;
    for (const std::string& word : words) {
        const bool config = isConfigName(word);
        if (isSetting(word) || (!config && !word.ends_with(".py"))) {
            command.words.push_back(word);
            continue;
        }
        if (!std::exchange(started, true))
            command.words.clear();  // its interpreter, and variables of its environment
        if (config)
            command.config = word;
    }
    return command;
}

std::optional<std::string_view> modelOfConfig(std::string_view config) {
    const auto found = std::ranges::find(configModels, stemOf(config), &ConfigModel::config);
    return found == configModels.end() ? std::nullopt : std::optional(found->model);
}

std::vector<std::string_view> modelsOfConfigs() {
    std::vector<std::string_view> models;
    for (const ConfigModel& row : configModels)
        if (!std::ranges::count(models, row.model))
            models.push_back(row.model);
    return models;
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
    std::vector<std::string> settings;
    std::vector<std::string> others;
    std::ranges::partition_copy(words, std::back_inserter(settings), std::back_inserter(others), isSetting);
    const GivenValues config = given;
    for (const std::string& setting : settings)
        given.addOverride(setting);
    const std::optional<std::string> model = impliedModel(given, fileName);
    LoadedProject loaded = readProject(text, fileName, projectWords(given, settings, model));
    MaxDiffusionImport result{.project = std::move(loaded.project),
                              .known = isKnownConfig(config, given, text),
                              .keys = {},
                              .problems = problemsOfModel(given, fileName)};
    std::vector<Problem> own = validate(result.project);
    const ImportReport report(given, result.project, withoutOwn(loaded.problems, own));
    for (const auto& [name, value] : given.values)
        result.keys.push_back(report.of(name, value));
    std::ranges::stable_sort(result.keys, [](const ImportedKey& a, const ImportedKey& b) {
        const bool aFile = a.line > 0;
        const bool bFile = b.line > 0;
        return aFile != bFile ? aFile : a.line < b.line;
    });
    std::ranges::transform(others, std::back_inserter(result.keys), ignoredWord);
    if (const auto known = modelOfConfig(fileName); model && known)
        result.keys.insert(result.keys.begin(), {.name = std::string(fileNameOf(fileName)),
                                                 .file = fileName,
                                                 .fate = ImportFate::Translated,
                                                 .result = linesOf({{std::string(modelKey), *model}}),
                                                 .reason = {}});
    if (text.empty() && !fileName.empty())
        result.problems.push_back(
            {.id = "config-name-only",
             .severity = Severity::Warning,
             .message =
                 sentence("Only the name of {} is known, not its keys: they stay at Meshreel's defaults",
                          fileNameOf(fileName)),
             .fixes = byHand(sentence("Import the file itself"))});
    std::ranges::move(given.problems, std::back_inserter(result.problems));
    std::ranges::move(own, std::back_inserter(result.problems));
    return result;
}

}  // namespace meshreel
