// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/name_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/verification/golden_comparison.h"
#include "engine/weights/tensor_names.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

/// Block indices that stand in for `{i}`.
constexpr std::array blockIndices = {0, 1, 7, 39};

/// What may stand for "*" and for "{weight,bias}".
constexpr std::array<std::string_view, 2> lastParts = {"weight", "bias"};

struct NamePair {
    std::string original;
    std::set<std::string> diffusers;  ///< several for a tensor that is split; none for one that is not used
};

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

/// "name  (a remark)" without its remark.
std::string withoutRemark(const std::string& text) {
    const std::size_t end = text.find(" (");
    std::string name = text.substr(0, end);
    name.erase(name.find_last_not_of(' ') + 1);
    return name;
}

/// "a.{q,k,v}.b" -> "a.q.b", "a.k.b", "a.v.b"; other braces are left alone.
std::set<std::string> alternatives(const std::string& text) {
    const std::size_t open = text.find('{');
    const std::size_t close = text.find('}', open);
    if (open == std::string::npos || close == std::string::npos ||
        text.substr(open, close - open).find(',') == std::string::npos)
        return {text};
    std::set<std::string> all;
    const std::string list = text.substr(open + 1, close - open - 1);
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        all.insert(text.substr(0, open) + list.substr(begin, end - begin) + text.substr(close + 1));
        begin = end + 1;
    }
    return all;
}

/// One pair of the file with an index and a last part in place of what stands for them.
NamePair instantiate(const std::string& original, const json& value, int index, std::string_view last) {
    const auto concrete = [&](const std::string& text) {
        std::string name = replaced(withoutRemark(text), "{i}", std::to_string(index));
        name = replaced(name, "{weight,bias}", last);
        return name.ends_with(".*") ? name.substr(0, name.size() - 1) + std::string(last) : name;
    };
    NamePair pair{.original = concrete(original), .diffusers = {}};
    const json values = value.is_array() ? value : json::array({value});
    for (const json& item : values)
        if (const auto text = item.get<std::string>(); text != "(unused)")
            pair.diffusers.merge(alternatives(concrete(text)));
    return pair;
}

std::vector<NamePair> pairsOf(const json& file) {
    std::map<std::string, NamePair> pairs;
    for (const auto& [original, value] : file.items())
        if (original != "NOTE")
            for (const int index : blockIndices)
                for (const std::string_view last : lastParts) {
                    NamePair pair = instantiate(original, value, index, last);
                    pairs.emplace(pair.original, std::move(pair));
                }
    std::vector<NamePair> all;
    for (auto& [name, pair] : pairs)
        all.push_back(std::move(pair));
    return all;
}

std::vector<std::string> originalNames(const std::vector<NamePair>& pairs) {
    std::vector<std::string> names;
    for (const NamePair& pair : pairs)
        names.push_back(pair.original);
    return names;
}

/// The first name that is converted wrongly, in either direction; empty when there is none.
std::string firstMistake(const NameMap& map, const std::vector<NamePair>& pairs) {
    for (const NamePair& pair : pairs) {
        std::set<std::string> found;
        for (const MappedName& mapped : map.toDiffusers(pair.original))
            if (!mapped.name.empty())
                found.insert(mapped.name);
        if (found != pair.diffusers)
            return fmt::format("{} becomes {}", pair.original, found.empty() ? "nothing" : *found.begin());
        for (const std::string& name : pair.diffusers)
            if (const auto back = map.toOriginal(name); !back || back->name != pair.original)
                return fmt::format("{} goes back to {}", name, back ? back->name : "nothing");
    }
    return {};
}

void verifyNames(const std::string& label, ModelPart part, const std::vector<NamePair>& pairs,
                 GoldenComparison& comparison) {
    const std::string mistake = firstMistake(NameMap(part, NameContext::of(originalNames(pairs))), pairs);
    comparison.add({.output = label,
                    .passed = mistake.empty() && !pairs.empty(),
                    .note = mistake.empty() ? fmt::format("{} names both ways", pairs.size()) : mistake});
}

/// Verifies ComfyUI's files: original names after every prefix, and which tensors are not weights.
void verifyComfyUi(const json& file, const std::vector<std::string>& transformerNames,
                   GoldenComparison& comparison) {
    for (const json& item : file.at("dit").at("prefixes")) {
        const auto prefix = item.get<std::string>();
        std::vector<std::string> names;
        for (const std::string& name : transformerNames)
            names.push_back(prefix + name);
        const WeightLayout layout = WeightLayout::of(names);
        comparison.add({.output = fmt::format("comfyui prefix \"{}\"", prefix),
                        .passed = layout.part == ModelPart::Transformer &&
                                  layout.naming == Naming::Original && layout.prefix == prefix});
    }
    for (const auto& [name, meaning] : file.at("dit").at("scaled_fp8").items()) {
        const std::string tensor = replaced(name, "<layer>", "blocks.0.ffn.0");
        const bool isWeight = tensor == "blocks.0.ffn.0.weight";
        const auto scale = parseScaleName(tensor);
        const bool known = scale ? scale->weight == "blocks.0.ffn.0.weight" : isNoWeight(tensor);
        comparison.add({.output = "comfyui " + name, .passed = isWeight ? !known : known});
    }
}

}  // namespace

void verifyKeyMaps(const Execution& /*execution*/, const GoldenFiles& files, GoldenComparison& comparison) {
    struct FileKind {
        std::string_view start;
        ModelPart part;
    };
    constexpr std::array kinds = {FileKind{"wan", ModelPart::Transformer}, FileKind{"vae", ModelPart::Vae},
                                  FileKind{"t5", ModelPart::TextEncoder},
                                  FileKind{"clip", ModelPart::ImageEncoder}};
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(files.folder()))
        if (entry.path().extension() == ".json")
            names.insert(entry.path().filename().string());
    std::vector<std::string> transformerNames;
    for (const std::string& name : names)
        for (const FileKind& kind : kinds)
            if (name.starts_with(kind.start)) {
                const std::vector<NamePair> pairs = pairsOf(files.json(name));
                verifyNames(name, kind.part, pairs, comparison);
                if (kind.part == ModelPart::Transformer)
                    transformerNames = originalNames(pairs);
            }
    if (names.contains("comfyui.json"))
        verifyComfyUi(files.json("comfyui.json"), transformerNames, comparison);
}

}  // namespace meshreel
