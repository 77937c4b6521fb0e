// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/adapters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/planning/model/hugging_face_cache.h"
#include "engine/planning/model/model_library.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

/// Of "ORGANISATION/REPOSITORY/FILE" in the Hugging Face cache.
fs::path inHuggingFaceCache(const fs::path& name) {
    auto part = name.begin();
    fs::path id;
    for (int level = 0; level < 2 && part != name.end(); ++level, ++part)
        id /= *part;
    fs::path file;
    for (; part != name.end(); ++part)
        file /= *part;
    const auto snapshot = file.empty() ? std::nullopt : findHuggingFaceModel(id.string());
    return snapshot ? *snapshot / file : fs::path();
}

bool goesInto(ExpertChoice asked, int expert, bool oneOfTwo) {
    return asked == ExpertChoice::All || (oneOfTwo && (asked == ExpertChoice::High) == (expert == 1));
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
        if (isFile(candidate))
            return candidate;
    if (const fs::path cached = inHuggingFaceCache(asked); asked.is_relative() && isFile(cached))
        return cached;
    throw Error(ErrorKind::Input, sentence("there is no such adapter"), withTilde(asked),
                sentence("Check the path in lora, or put the file into {}",
                         withTilde(modelFolders().back() / lorasFolder)));
}

PlannedAdapters planAdapters(const LoraList& adapters, std::span<const AdapterTarget> targets) {
    PlannedAdapters planned;
    for (const LoraChoice& choice : adapters) {
        const fs::path file = findAdapter(choice.file);
        const std::size_t before = planned.size();
        for (const AdapterTarget& target : targets)
            if (goesInto(choice.expert, target.expert, targets.size() > 1))
                planned.push_back({target.expert, targets.size() > 1,
                                   LoraAdapter::open(file, *target.weights, choice.strength)});
        if (planned.size() == before)
            throw Error(ErrorKind::Project,
                        sentence("an adapter is meant for the {} expert, and the model has one transformer",
                                 nameOf(choice.expert)),
                        "lora", sentence("Remove \"expert\", or use a model of two experts (Wan 2.2 A14B)"));
    }
    return planned;
}

PlannedAdapters planAdapters(const LoraList& adapters, const fs::path& modelFolder) {
    if (adapters.empty())
        return {};
    std::error_code ignored;
    const fs::path second = modelFolder / transformerName(2);
    std::vector<Checkpoint> weights{Checkpoint::open(modelFolder / transformerName(1))};
    if (fs::exists(second, ignored))
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

Sentence describeAdapter(const PlannedAdapter& planned) {
    Sentence text = adapterHeadline(planned);
    const auto addLine = [&text](const Sentence& line) { text = sentence("{}{}{}", text, "\n  ", line); };
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
        list.push_back({{"file", adapter.path().string()},
                        {"identity", adapter.identity()},
                        {"expert", expertName(planned)},
                        {"strength", adapter.strength()},
                        {"effective_scale", scale},
                        {"changed", adapter.changedNames()},
                        {"unmatched", adapter.unmatchedKeys()}});
    }
    return list;
}

}  // namespace meshreel
