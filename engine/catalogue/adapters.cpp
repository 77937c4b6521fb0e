// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/adapters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/catalogue/hugging_face_cache.h"
#include "engine/catalogue/model_library.h"
#include "engine/models/families/weights_name.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/project/presets.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/peft_config.h"
#include "engine/weights/trigger_words.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// Where adapters lie in a models folder.
constexpr const char* lorasFolder = "loras";

/// What PEFT and diffusers call an adapter's file in a folder of its own.
constexpr std::array<std::string_view, 4> adapterFileNames{"adapter_model.safetensors", "adapter_model.bin",
                                                           "pytorch_lora_weights.safetensors",
                                                           "pytorch_lora_weights.bin"};

/// The file itself, or the adapter in a folder; empty when there is none.
fs::path adapterAt(const fs::path& path) {
    if (isFile(path))
        return path;
    for (const std::string_view name : adapterFileNames)
        if (isFile(path / name))
            return path / name;
    return {};
}

/// Returns the adapter for "ORGANISATION/REPOSITORY[/FILE]" in the Hugging Face cache; empty if it is not
/// there.
fs::path inHuggingFaceCache(const fs::path& name) {
    auto part = name.begin();
    fs::path id;
    for (int level = 0; level < 2 && part != name.end(); ++level, ++part)
        id /= *part;
    fs::path file;
    for (; part != name.end(); ++part)
        file /= *part;
    for (const fs::path& snapshot : huggingFaceSnapshots(id.string()))
        if (fs::path found = adapterAt(file.empty() ? snapshot : snapshot / file); !found.empty())
            return found;
    return {};
}

bool goesInto(ExpertChoice asked, int expert, bool oneOfTwo) {
    return asked == ExpertChoice::All || asked == ExpertChoice::ByName ||
           (oneOfTwo && (asked == ExpertChoice::High) == (expert == 1));
}

std::string withNumbersReplaced(const std::string& name) {
    std::string text;
    const auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool starts = isDigit(name[i]) && (i == 0 || name[i - 1] == '.' || name[i - 1] == '_');
        if (!starts) {
            text += name[i];
            continue;
        }
        text += '*';
        while (i + 1 < name.size() && isDigit(name[i + 1]))
            ++i;
    }
    return text;
}

std::vector<std::string> englishTexts(const std::vector<Sentence>& sentences) {
    return {sentences.begin(), sentences.end()};
}

std::vector<Sentence> warningsOf(const PlannedAdapter& planned) {
    std::vector<Sentence> warnings = planned.adapter->warnings();
    warnings.insert(warnings.end(), planned.remarks.begin(), planned.remarks.end());
    return warnings;
}

std::string_view expertName(const PlannedAdapter& planned) {
    return nameOf(!planned.oneOfTwo     ? ExpertChoice::All
                  : planned.expert == 1 ? ExpertChoice::High
                                        : ExpertChoice::Low);
}

}  // namespace

fs::path findAdapter(const std::string& nameOrPath) {
    const fs::path asked = expandTilde(nameOrPath);
    std::vector<fs::path> candidates{asked};
    if (asked.is_relative())
        for (const fs::path& folder : modelFolders()) {
            candidates.push_back(folder / lorasFolder / asked);
            candidates.push_back(folder / asked);
        }
    for (const fs::path& candidate : candidates)
        if (fs::path file = adapterAt(candidate); !file.empty())
            return file;
    if (asked.is_relative())
        if (fs::path file = inHuggingFaceCache(asked); !file.empty())
            return file;
    if (const auto folder = std::ranges::find_if(candidates, isFolder); folder != candidates.end())
        throw Error(ErrorKind::Input, sentence("the folder holds no adapter"), withTilde(*folder),
                    sentence("Name its file in lora; in a folder {} is looked for",
                             fmt::to_string(fmt::join(adapterFileNames, ", "))));
    throw Error(ErrorKind::Input, sentence("there is no such adapter"), withTilde(asked),
                sentence("Check the path in lora, or put the file into {}",
                         withTilde(modelFolders().back() / lorasFolder)));
}

namespace {

ExpertChoice findChoice(Expert expert) {
    return expert == Expert::High ? ExpertChoice::High : ExpertChoice::Low;
}

/// An adapter of the project, its file and who says which expert it is for.
struct AskedAdapter {
    const LoraChoice& choice;
    fs::path file;
    std::vector<int> inKeys;  ///< transformers that its keys name
    ExpertReading reading;

    /// With two experts.
    [[nodiscard]] ExpertChoice expert() const {
        if (choice.expert != ExpertChoice::ByName)
            return choice.expert;
        return inKeys.empty() && reading.expert() ? findChoice(*reading.expert()) : ExpertChoice::All;
    }
};

AskedAdapter readAsked(const LoraChoice& choice) {
    const fs::path file = findAdapter(choice.file);
    return {choice, file, namedExperts(file), readExpert(file, TensorFile::open(file).metadata())};
}

/// Each reading that another one contradicts.
std::vector<Sentence> contradictions(const AskedAdapter& asked, bool ofTwo) {
    std::vector<Sentence> remarks;
    if (Sentence both = asked.reading.contradiction(); !both.empty() && ofTwo)
        remarks.push_back(
            sentence("{}. The name counts; to decide, write expert: high or expert: low", both));
    const auto says = asked.reading.expert();
    if (!says)
        return remarks;
    if (!ofTwo) {
        remarks.push_back(
            sentence("{} of Wan 2.2 A14B, and this model has one transformer: it was made for "
                     "another model",
                     asked.reading.words()));
        return remarks;
    }
    const bool isTold = asked.choice.expert == ExpertChoice::High || asked.choice.expert == ExpertChoice::Low;
    if (isTold && asked.choice.expert != findChoice(*says))
        remarks.push_back(sentence("{}, and lora says expert: {}. If that is a mistake, write expert: {}",
                                   asked.reading.words(), nameOf(asked.choice.expert),
                                   nameOf(findChoice(*says))));
    const int number = *says == Expert::High ? 1 : 2;
    if (asked.inKeys.size() == 1 && asked.inKeys.front() != number)
        remarks.push_back(sentence("{}, and its keys name {}, which counts", asked.reading.words(),
                                   transformerName(asked.inKeys.front())));
    return remarks;
}

/// Returns its other half, if it is beside it and lora does not name it.
Sentence forgottenHalf(const AskedAdapter& asked, const LoraList& adapters) {
    if (asked.choice.expert != ExpertChoice::ByName || !asked.inKeys.empty() || !asked.reading.expert())
        return {};
    const auto other = findCounterpart(asked.file);
    if (!other || !hasTensorFileName(*other))
        return {};
    for (const LoraChoice& choice : adapters) {
        std::error_code ignored;
        if (fs::equivalent(findAdapter(choice.file), *other, ignored))
            return {};
    }
    return sentence("it goes into the {} alone, and its other half, {}, is not in lora: name it there, too",
                    titleOf(*asked.reading.expert()), withTilde(*other));
}

}  // namespace

PlannedAdapters planAdapters(const LoraList& adapters, std::span<const AdapterTarget> targets) {
    PlannedAdapters planned;
    const bool ofTwo = targets.size() > 1;
    for (const LoraChoice& choice : adapters) {
        if (choice.strength == 0)
            continue;  // switched off
        const AskedAdapter asked = readAsked(choice);
        const ExpertChoice expert =
            ofTwo || choice.expert != ExpertChoice::ByName ? asked.expert() : ExpertChoice::All;
        const std::size_t first = planned.size();
        bool meant = false;
        for (const AdapterTarget& target : targets) {
            if (!goesInto(expert, target.expert, ofTwo))
                continue;
            meant = true;
            // A model with one transformer refuses a file that names two.
            if (ofTwo && !asked.inKeys.empty() &&
                std::ranges::find(asked.inKeys, target.expert) == asked.inKeys.end())
                continue;
            planned.push_back({.expert = target.expert,
                               .oneOfTwo = ofTwo,
                               .adapter = LoraAdapter::open(asked.file, *target.weights, choice.strength,
                                                            LoraScope::Everything, {target.expert, ofTwo}),
                               .byName = choice.expert != expert && expert != ExpertChoice::All});
        }
        if (!meant)
            throw Error(ErrorKind::Project,
                        sentence("an adapter is meant for the {} expert, and the model has one transformer",
                                 nameOf(choice.expert)),
                        "lora", sentence("Remove \"expert\", or use a model of two experts (Wan 2.2 A14B)"));
        if (planned.size() == first)
            throw Error(
                ErrorKind::Project,
                sentence("the file has layers for transformer_2, the low expert, only, and lora asks for "
                         "the {} expert",
                         nameOf(choice.expert)),
                withTilde(asked.file), sentence("Write \"expert: low\", or remove \"expert\""));
        planned[first].remarks = contradictions(asked, ofTwo);
        if (Sentence half = forgottenHalf(asked, adapters); ofTwo && !half.empty())
            planned[first].remarks.push_back(std::move(half));
    }
    return planned;
}

PlannedAdapters planAdapters(const LoraList& adapters, const fs::path& modelFolder) {
    if (adapters.empty())
        return {};
    const fs::path second = modelFolder / transformerName(2);
    std::vector<Checkpoint> weights{Checkpoint::open(modelFolder / transformerName(1))};
    if (isThere(second))
        weights.push_back(Checkpoint::open(second));
    std::vector<AdapterTarget> targets;
    for (const Checkpoint& checkpoint : weights)
        targets.push_back({static_cast<int>(targets.size()) + 1, &checkpoint});
    return planAdapters(adapters, targets);
}

void addAdapters(const PlannedAdapters& adapters, int expert, Checkpoint& weights) {
    for (const PlannedAdapter& planned : adapters)
        if (planned.expert == expert)
            weights.addPatch(planned.adapter);
}

StoredLayers adaptedLayers(const PlannedAdapters& adapters, int expert, const StoredLayers& layers) {
    if (adapters.empty() || !layers)
        return layers;
    std::vector<StoredLayer> adapted = *layers;
    for (StoredLayer& layer : adapted)
        for (StoredParameter& stored : layer.parameters) {
            const std::string name = layer.prefix + stored.parameter.name;
            if (std::ranges::any_of(adapters, [&](const PlannedAdapter& planned) {
                    return planned.expert == expert && planned.adapter->touches(name);
                }))
                stored.inPlace = false;
        }
    return std::make_shared<const std::vector<StoredLayer>>(std::move(adapted));
}

std::vector<std::string> collapsedNames(std::span<const std::string> names) {
    std::map<std::string, std::vector<std::string>> groups;
    for (const std::string& name : names)
        groups[withNumbersReplaced(name)].push_back(name);
    std::vector<std::string> collapsed;
    for (const auto& [pattern, members] : groups)
        collapsed.push_back(members.size() == 1 ? members.front()
                                                : fmt::format("{} ({})", pattern, members.size()));
    return collapsed;
}

Sentence adapterHeadline(const PlannedAdapter& planned) {
    Sentence headline = planned.adapter->text();
    if (!planned.oneOfTwo)
        return headline;
    return planned.expert == 1 ? sentence("{} (high expert)", headline)
                               : sentence("{} (low expert)", headline);
}

namespace {

constexpr std::size_t mostToldWords = 8;

std::vector<std::string> textsOf(const std::vector<TriggerWord>& words, std::size_t most) {
    std::vector<std::string> texts;
    for (std::size_t index = 0; index < std::min(words.size(), most); ++index)
        texts.push_back(words[index].text);
    return texts;
}

}  // namespace

Sentence describeAdapter(const PlannedAdapter& planned) {
    Sentence text = adapterHeadline(planned);
    const auto addLine = [&text](const Sentence& line) { text = sentence("{}{}{}", text, "\n  ", line); };
    for (const Sentence& warning : planned.adapter->warnings())
        addLine(sentence("Warning: {}", warning));
    for (const Sentence& remark : planned.remarks)
        addLine(sentence("Warning: {}", remark));
    if (planned.byName)
        addLine(sentence("goes into this expert alone, because its name or metadata say so"));
    const TriggerWords words = triggerWords(planned.adapter->metadata());
    if (!words.stated.empty())
        addLine(sentence("trigger words: {}",
                         fmt::to_string(fmt::join(textsOf(words.stated, mostToldWords), ", "))));
    else if (!words.frequent.empty())
        addLine(sentence("most frequent in its captions: {}",
                         fmt::to_string(fmt::join(textsOf(words.frequent, mostToldWords), ", "))));
    if (const PeftConfig* description = planned.adapter->description())
        addLine(sentence("scaled by {} ({})", withTilde(description->where()), description->summary()));
    const auto scales = planned.adapter->namesByScale();
    if (scales.size() > 1)
        for (const auto& [scale, names] : scales)
            addLine(sentence("effective scale {:g}: {}", scale,
                             fmt::to_string(fmt::join(collapsedNames(names), ", "))));
    for (const std::string& name : collapsedNames(planned.adapter->changedNames()))
        addLine(sentence("changes {}", name));
    for (const std::string& key : collapsedNames(planned.adapter->unmatchedKeys()))
        addLine(sentence("fits nothing: {}", key));
    return text;
}

nlohmann::json adaptersJson(const PlannedAdapters& adapters) {
    nlohmann::json list = nlohmann::json::array();
    for (const PlannedAdapter& planned : adapters) {
        const LoraAdapter& adapter = *planned.adapter;
        nlohmann::json scale = nullptr;
        if (const auto range = adapter.effectiveScale())
            scale = {{"least", range->least}, {"most", range->most}};
        const TriggerWords words = triggerWords(adapter.metadata());
        nlohmann::json scales = nlohmann::json::array();
        for (const auto& [value, names] : adapter.namesByScale())
            scales.push_back({{"scale", value}, {"tensors", names}});
        list.push_back(
            {{"file", adapter.path().string()},
             {"identity", adapter.identity()},
             {"expert", expertName(planned)},
             {"expert_by_name", planned.byName},
             {"kinds", adapter.kinds()},
             {"strength", adapter.strength()},
             {"effective_scale", scale},
             {"scales", std::move(scales)},
             {"description", adapter.description() == nullptr ? "" : adapter.description()->where()},
             {"warnings", englishTexts(warningsOf(planned))},
             {"trigger_words", textsOf(words.stated, words.stated.size())},
             {"caption_words", textsOf(words.frequent, words.frequent.size())},
             {"changed", adapter.changedNames()},
             {"unmatched", adapter.unmatchedKeys()}});
    }
    return list;
}

namespace {

constexpr std::array<std::string_view, 4> distilledMarks = {"distill", "lightx2v", "lightning", "4step"};

/// The words of the tasks that a family's adapters are made for, and the released files that people use;
/// empty when none has a name that people know.
struct FamilyAdapters {
    std::string_view family;
    std::array<std::string_view, 2> tasks;
    std::string_view files;
};
constexpr std::string_view textFiles = "Wan21_T2V_14B_lightx2v_cfg_step_distill_lora_rank64.safetensors";
constexpr std::string_view imageFiles = "Wan21_I2V_14B_lightx2v_cfg_step_distill_lora_rank64.safetensors";
constexpr std::string_view textPairs = "wan2.2_t2v_lightx2v_4steps_lora_v1.1_{high,low}_noise.safetensors";
constexpr std::string_view imagePairs = "wan2.2_i2v_lightx2v_4steps_lora_v1_{high,low}_noise.safetensors";
// Families that grew from another one by training take that one's. WeightsName knows no task of Phantom,
// Bernini-R, ATI, Wan-Move and Fun Control.
constexpr std::array<FamilyAdapters, 21> families{{
    {"wan2.1-t2v", {"t2v"}, textFiles},
    {"wan2.1-phantom", {"t2v"}, textFiles},
    {"wan2.1-bernini", {"t2v"}, textFiles},
    {"wan2.1-i2v", {"i2v"}, imageFiles},
    {"wan2.1-ati", {"i2v"}, imageFiles},
    {"wan2.1-move", {"i2v"}, imageFiles},
    {"wan2.1-flf2v", {"flf2v", "i2v"}, imageFiles},
    {"wan2.1-vace", {"vace", "t2v"}, textFiles},
    {"wan2.1-fun-control", {"i2v"}, imageFiles},
    {"wan2.2-t2v-a14b", {"t2v"}, textPairs},
    {"wan2.2-bernini", {"t2v"}, textPairs},
    {"wan2.2-i2v-a14b", {"i2v"}, imagePairs},
    {"wan2.2-vace-a14b", {"vace", "t2v"}, textPairs},
    {"wan2.2-fun-control-a14b", {"i2v"}, imagePairs},
    {"wan2.2-fun-control-5b", {"ti2v"}, {}},
    {"wan2.2-i2v-one", {"i2v"}, imageFiles},
    {"wan2.2-animate2-distilled", {"animate", "i2v"}, imageFiles},
    {"wan2.2-animate2", {"animate", "i2v"}, imageFiles},
    {"wan2.2-animate", {"animate", "i2v"}, imageFiles},
    {"wan2.2-s2v", {"s2v", "t2v"}, textFiles},
    {"wan2.2-ti2v", {"ti2v"}, {}},
}};

const FamilyAdapters& adaptersFor(const ModelFamily& family) {
    const auto found = std::ranges::find(families, family.name, &FamilyAdapters::family);
    if (found == families.end())
        throw Error(ErrorKind::Internal, "there is no row of adapters for " + std::string(family.name));
    return *found;
}

template <typename Words>
bool holdsAny(const std::string& text, const Words& words) {
    return std::ranges::any_of(
        words, [&](std::string_view word) { return !word.empty() && text.find(word) != std::string::npos; });
}

bool namesOtherTask(const WeightsName& name, const ModelFamily& family) {
    const auto& own = adaptersFor(family).tasks;
    return !name.tasks.empty() &&
           std::ranges::none_of(own, [&](std::string_view task) { return name.names(task); });
}

bool namesOtherGeneration(const WeightsName& name, const ModelFamily& family) {
    if (family.traits.experts == 2)
        return name.wan21;
    return family.name.starts_with("wan2.1") && name.wan22;
}

/// Whether its tensors belong to the model.
bool fitsModel(const LoraChoice& choice, const fs::path& modelFolder) {
    try {
        return !planAdapters({choice}, modelFolder).empty();
    } catch (const Error&) {
        return false;
    }
}

/// Returns the adapters whose names say that they fit, for one expert or for all, the largest first.
std::vector<const CatalogueFile*> candidatesFor(std::span<const CatalogueFile> files, ExpertChoice expert,
                                                const ModelFamily& family) {
    std::vector<const CatalogueFile*> candidates;
    for (const CatalogueFile& file : files) {
        const DistilledName name = readDistilledName(file.path, family);
        if (file.adapter && name.distilled && name.fits && name.expert == expert)
            candidates.push_back(&file);
    }
    std::ranges::stable_sort(candidates, std::ranges::greater(), &CatalogueFile::bytes);
    return candidates;
}

/// The first of them whose tensors fit.
std::optional<LoraChoice> firstFitting(std::span<const CatalogueFile* const> candidates, ExpertChoice expert,
                                       const fs::path& modelFolder) {
    for (const CatalogueFile* file : candidates)
        if (LoraChoice choice{.file = file->path.string(), .expert = expert}; fitsModel(choice, modelFolder))
            return choice;
    return std::nullopt;
}

/// Returns two adapters of one set, the largest that fit: those of two sets do not work together.
std::optional<LoraList> largestPair(std::span<const CatalogueFile> files, const ModelFamily& family,
                                    const fs::path& modelFolder) {
    const auto lows = candidatesFor(files, ExpertChoice::Low, family);
    for (const CatalogueFile* high : candidatesFor(files, ExpertChoice::High, family)) {
        std::vector<const CatalogueFile*> partners = lows;
        std::erase_if(partners, [&](const CatalogueFile* low) {
            return readWeightsName(low->path).set != readWeightsName(high->path).set;
        });
        const auto first = firstFitting(std::array{high}, ExpertChoice::High, modelFolder);
        const auto second = firstFitting(partners, ExpertChoice::Low, modelFolder);
        if (first && second)
            return LoraList{*first, *second};
    }
    return std::nullopt;
}

/// The adapters of the embedded models.
std::vector<CatalogueFile> shippedAdapters() {
    std::vector<CatalogueFile> files;
    std::error_code ignored;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(resourceFolder() / "models" / lorasFolder, ignored))
        if (hasTensorFileName(entry.path()))
            files.push_back(describeFile(entry.path()));
    return files;
}

Sentence describeLack(const Project& project, const ModelFamily& family, ExpertChoice expert) {
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
    return Error(ErrorKind::Input, describeLack(project, family, expert), "preset",
                 sentence("Put one (for example {}) into {}, name one in lora, or, for a checkpoint that is "
                          "distilled itself, write preset: distilled-model-4",
                          exampleFor(family), withTilde(userModelFolders().front() / lorasFolder)));
}

}  // namespace

DistilledName readDistilledName(const fs::path& file, const ModelFamily& family) {
    std::string text = (file.parent_path().filename() / file.stem()).string();
    std::ranges::transform(text, text.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const WeightsName read = readWeightsName(file);
    DistilledName name{.distilled = holdsAny(text, distilledMarks),
                       .expert = read.expert ? findChoice(*read.expert) : ExpertChoice::All};
    name.fits = !namesOtherTask(read, family) && !namesOtherGeneration(read, family) &&
                (family.traits.experts == 2 || name.expert == ExpertChoice::All);
    return name;
}

bool wantsDistilledAdapter(const Project& project) {
    const SamplingPreset* preset = findSamplingPreset(project.preset);
    return project.lora.empty() && preset != nullptr && preset->findsAdapter;
}

LoraList readAdapters(const Project& project, const ModelFamily& family, const fs::path& modelFolder) {
    if (!wantsDistilledAdapter(project))
        return project.lora;
    const std::vector<CatalogueFile> files = scanModels().files;
    const std::vector<CatalogueFile> shipped = shippedAdapters();
    const auto find = [&](ExpertChoice expert) {
        const auto own = firstFitting(candidatesFor(files, expert, family), expert, modelFolder);
        return own ? own : firstFitting(candidatesFor(shipped, expert, family), expert, modelFolder);
    };
    if (family.traits.experts == 2) {
        if (auto pair = largestPair(files, family, modelFolder))
            return *std::move(pair);
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
