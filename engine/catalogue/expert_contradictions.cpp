// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/expert_contradictions.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/catalogue/asked_parts.h"
#include "engine/catalogue/model_library.h"
#include "engine/models/families/weights_name.h"
#include "engine/project/project.h"
#include "engine/weights/checkpoint.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr const char* modelNameKey = "pretrained_model_name_or_path";

/// A transformer that a project names, and what its file says.
struct NamedTransformer {
    std::string key;
    fs::path file;
    Expert meant;
    ExpertReading reading;
};

std::optional<NamedTransformer> readTransformer(const Project& project, const PartSources& asked,
                                                Expert meant) {
    const auto source = asked.find(meant == Expert::High ? "transformer" : "transformer_2");
    if (source == asked.end())
        return std::nullopt;
    const std::string key =
        askedFile(project, source->first) != nullptr ? "parts." + source->first : modelNameKey;
    const Checkpoint checkpoint = Checkpoint::open(source->second);
    return NamedTransformer{key, source->second, meant,
                            readExpert(source->second, checkpoint.shards().front().metadata())};
}

}  // namespace

std::vector<Problem> expertContradictions(const Project& project) try {
    const PartSources asked = askedParts(project);
    const auto high = readTransformer(project, asked, Expert::High);
    const auto low = readTransformer(project, asked, Expert::Low);
    // For a single file, the other expert is found, and the two are put in their order.
    const bool isOrdered = !low && isMadeOfFiles(project);
    std::vector<Problem> problems;
    for (const auto& named : {high, low}) {
        if (!named)
            continue;
        const auto says = named->reading.expert();
        if (const Sentence both = named->reading.contradiction(); !both.empty())
            problems.push_back(
                {.id = "model-files-remark",
                 .severity = Severity::Warning,
                 .key = named->key,
                 .message = sentence("{}: {}", named->file.filename().string(), both),
                 .fixes = byHand(sentence("The name counts; rename the file if it is wrong"))});
        if (!says || says == named->meant || isOrdered)
            continue;
        std::vector<Fix> fixes =
            byHand(sentence("Name the other file there, or rename this one if its name is wrong"));
        if (high && low && high->key != modelNameKey && high->reading.expert() == Expert::Low &&
            low->reading.expert() == Expert::High)
            fixes.insert(fixes.begin(), {.words = sentence("Exchange the two files"),
                                         .changes = {{high->key, *askedFile(project, "transformer_2")},
                                                     {low->key, *askedFile(project, "transformer")}}});
        problems.push_back(
            {.id = "model-files-remark",
             .severity = Severity::Warning,
             .key = named->key,
             .involved = {"parts.transformer", "parts.transformer_2"},
             .message = sentence("{} is taken as the {}, and {}", named->file.filename().string(),
                                 titleOf(named->meant), named->reading.words()),
             .fixes = std::move(fixes)});
    }
    return problems;
} catch (const Error&) {
    return {};  // planning says what is wrong with the files
}

}  // namespace meshreel
