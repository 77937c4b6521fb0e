// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/distilled_adapters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/planning/model/adapters.h"
#include "engine/planning/model/model_catalogue.h"
#include "engine/planning/model/model_library.h"
#include "engine/project/sampling_preset.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 4> distilledMarks = {"distill", "lightx2v", "lightning", "4step"};
constexpr std::array<std::string_view, 7> taskWords = {"t2v",  "i2v",     "ti2v", "flf2v",
                                                       "vace", "animate", "s2v"};
constexpr std::array<std::string_view, 3> firstGeneration = {"wan2.1", "wan21", "wan2_1"};
constexpr std::array<std::string_view, 3> secondGeneration = {"wan2.2", "wan22", "wan2_2"};

/// The words of the tasks that a family's adapters are made for, and the released files that people use;
/// empty where none has a name that people know.
struct FamilyAdapters {
    std::string_view family;
    std::array<std::string_view, 2> tasks;
    std::string_view files;
};
constexpr std::string_view textFiles = "Wan21_T2V_14B_lightx2v_cfg_step_distill_lora_rank64.safetensors";
constexpr std::string_view imageFiles = "Wan21_I2V_14B_lightx2v_cfg_step_distill_lora_rank64.safetensors";
constexpr std::array<FamilyAdapters, 8> families{{
    {"wan2.1-t2v", {"t2v"}, textFiles},
    {"wan2.1-i2v", {"i2v"}, imageFiles},
    {"wan2.1-flf2v", {"flf2v", "i2v"}, imageFiles},
    {"wan2.1-vace", {"vace", "t2v"}, textFiles},
    {"wan2.2-t2v-a14b", {"t2v"}, "wan2.2_t2v_lightx2v_4steps_lora_v1.1_{high,low}_noise.safetensors"},
    {"wan2.2-i2v-a14b", {"i2v"}, "wan2.2_i2v_lightx2v_4steps_lora_v1_{high,low}_noise.safetensors"},
    {"wan2.2-animate", {"animate", "i2v"}, imageFiles},
    {"wan2.2-ti2v", {"ti2v"}, {}},
}};

const FamilyAdapters& adaptersFor(const ModelFamily& family) {
    return *std::ranges::find(families, family.name, &FamilyAdapters::family);
}

template <typename Words>
bool holdsAny(const std::string& text, const Words& words) {
    return std::ranges::any_of(
        words, [&](std::string_view word) { return !word.empty() && text.find(word) != std::string::npos; });
}

/// Runs of letters and digits, in lower case.
std::vector<std::string> wordsOf(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char letter : text)
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
            words.back() += letter;
        else if (!words.back().empty())
            words.emplace_back();
    std::erase(words, std::string());
    return words;
}

bool namesOtherTask(const std::vector<std::string>& words, const ModelFamily& family) {
    const auto& own = adaptersFor(family).tasks;
    const auto isTask = [&](const std::string& word) {
        return std::ranges::find(taskWords, word) != taskWords.end();
    };
    const auto isOwn = [&](const std::string& word) { return std::ranges::find(own, word) != own.end(); };
    return std::ranges::any_of(words, isTask) && std::ranges::none_of(words, isOwn);
}

bool namesOtherGeneration(const std::string& text, const ModelFamily& family) {
    if (family.traits.experts == 2)
        return holdsAny(text, firstGeneration);
    return family.name.starts_with("wan2.1") && holdsAny(text, secondGeneration);
}

ExpertChoice expertIn(const std::vector<std::string>& words) {
    const auto says = [&words](std::string_view which) {
        return std::ranges::any_of(words, [&](const std::string& word) {
            return word == which || word == std::string(which) + "noise";
        });
    };
    return says("high") ? ExpertChoice::High : says("low") ? ExpertChoice::Low : ExpertChoice::All;
}

/// Whether its tensors belong to the model.
bool fitsModel(const LoraChoice& choice, const fs::path& modelFolder) {
    try {
        return !planAdapters({choice}, modelFolder).empty();
    } catch (const Error&) {
        return false;
    }
}

/// The largest that fits, of one expert or of all.
std::optional<LoraChoice> largestAdapter(std::span<const CatalogueFile> files, ExpertChoice expert,
                                         const ModelFamily& family, const fs::path& modelFolder) {
    std::vector<const CatalogueFile*> candidates;
    for (const CatalogueFile& file : files) {
        const DistilledName name = readDistilledName(file.path, family);
        if (file.adapter && name.distilled && name.fits && name.expert == expert)
            candidates.push_back(&file);
    }
    std::ranges::stable_sort(candidates, std::ranges::greater(), &CatalogueFile::bytes);
    for (const CatalogueFile* file : candidates)
        if (LoraChoice choice{.file = file->path.string(), .expert = expert}; fitsModel(choice, modelFolder))
            return choice;
    return std::nullopt;
}

/// Those of the embedded models.
std::vector<CatalogueFile> shippedAdapters() {
    std::vector<CatalogueFile> files;
    std::error_code ignored;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(resourceFolder() / "models" / lorasFolder, ignored))
        if (hasTensorFileName(entry.path()))
            files.push_back(describeFile(entry.path()));
    return files;
}

Sentence lackOf(const Project& project, const ModelFamily& family, ExpertChoice expert) {
    if (expert == ExpertChoice::High)
        return sentence(
            "preset {} needs a high-noise step-distilled adapter (LoRA) for {}, and there is none",
            project.preset, tableText(family.title));
    if (expert == ExpertChoice::Low)
        return sentence("preset {} needs a low-noise step-distilled adapter (LoRA) for {}, and there is none",
                        project.preset, tableText(family.title));
    return sentence("preset {} needs a step-distilled adapter (LoRA) for {}, and there is none",
                    project.preset, tableText(family.title));
}

Sentence exampleFor(const ModelFamily& family) {
    const std::string_view files = adaptersFor(family).files;
    return files.empty() ? sentence("a step-distilled LoRA of TI2V-5B") : Sentence(files);
}

Error missing(const Project& project, const ModelFamily& family, ExpertChoice expert) {
    return Error(ErrorKind::Input, lackOf(project, family, expert), "preset",
                 sentence("Put one (for example {}) into {}, name one in lora, or, for a checkpoint that is "
                          "distilled itself, write preset: distilled-model-4",
                          exampleFor(family), withTilde(userModelFolders().front() / lorasFolder)));
}

}  // namespace

DistilledName readDistilledName(const fs::path& file, const ModelFamily& family) {
    std::string text = (file.parent_path().filename() / file.stem()).string();
    std::ranges::transform(text, text.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const std::vector<std::string> words = wordsOf(text);
    DistilledName name{.distilled = holdsAny(text, distilledMarks), .expert = expertIn(words)};
    name.fits = !namesOtherTask(words, family) && !namesOtherGeneration(text, family) &&
                (family.traits.experts == 2 || name.expert == ExpertChoice::All);
    return name;
}

bool wantsDistilledAdapter(const Project& project) {
    const SamplingPreset* preset = findSamplingPreset(project.preset);
    return project.lora.empty() && preset != nullptr && preset->findsAdapter;
}

LoraList adaptersOf(const Project& project, const ModelFamily& family, const fs::path& modelFolder) {
    if (!wantsDistilledAdapter(project))
        return project.lora;
    const std::vector<CatalogueFile> files = scanModels().files;
    const std::vector<CatalogueFile> shipped = shippedAdapters();
    const auto find = [&](ExpertChoice expert) {
        const auto own = largestAdapter(files, expert, family, modelFolder);
        return own ? own : largestAdapter(shipped, expert, family, modelFolder);
    };
    if (family.traits.experts == 2) {
        const auto high = find(ExpertChoice::High);
        const auto low = find(ExpertChoice::Low);
        if (high && low)
            return {*high, *low};
        if (high || low)
            throw missing(project, family, high ? ExpertChoice::Low : ExpertChoice::High);
    }
    if (const auto one = find(ExpertChoice::All))
        return {*one};
    throw missing(project, family, ExpertChoice::All);
}

}  // namespace meshreel
