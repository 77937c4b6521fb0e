// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/weights_inspection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/record_json.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/catalogue/model_library.h"
#include "engine/models/families/inferred_config.h"
#include "engine/models/families/model_family.h"
#include "engine/models/families/weights_name.h"
#include "engine/tensor/shape.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/tensor_names.h"
#include "engine/weights/weight_files.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr std::size_t shownMetadata = 160;  // bytes of one value
constexpr std::size_t shownNames = 6;
constexpr std::size_t bf16Bytes = 2;

Sentence chooseStyle(Naming naming) {
    switch (naming) {
        case Naming::Diffusers:
            return "diffusers";
        case Naming::Original:
            return sentence("original");
        case Naming::LlamaCpp:
            return "llama.cpp";
    }
    return {};
}

Sentence namesOf(const WeightLayout& layout) {
    if (!layout.part)
        return sentence("unknown");
    const Sentence style = chooseStyle(layout.naming);
    return layout.prefix.empty() ? style : sentence("{} behind {}", style, layout.prefix);
}

std::string_view shapeClass(const Shape& shape) {
    return shape.rank() < 2 ? "vectors" : shape.rank() == 2 ? "matrices" : "convolutions and tables";
}

/// The spelling of the file: a type that Meshreel does not read has a name too.
std::string typeNames(const Checkpoint& checkpoint, const std::string& name) {
    return checkpoint.storedTypeName(name) + (checkpoint.isScaled(name) ? " scaled" : "");
}

/// Whole numbers that count and point (positions, steps) are not weights, so their type does not keep a file
/// from being read.
bool isNetworks(const Checkpoint& checkpoint, const std::string& name) {
    return checkpoint.layout().part && checkpoint.shape(name).rank() > 1;
}

void countElements(const Checkpoint& checkpoint, WeightsInspection& inspection) {
    std::map<std::string, StoredClass> classes;
    std::set<std::string> packed;
    for (const std::string& name : checkpoint.names()) {
        const Shape& shape = checkpoint.shape(name);
        const auto elements = static_cast<std::uint64_t>(shape.elements());
        const std::string type = typeNames(checkpoint, name);
        StoredClass& row = classes[std::string(shapeClass(shape))];
        row.name = shapeClass(shape);
        ++row.tensorsOfType[type];
        const Sentence unread = isNetworks(checkpoint, name) ? checkpoint.unreadStorage(name) : Sentence();
        if (!unread.empty())
            ++inspection.unread[unread.text()];
        else if (isQuantised(checkpoint.storedType(name)))
            packed.insert(type);
        inspection.parameters += elements;
        inspection.bytesInF32 += elements * sizeof(float);
        inspection.bytesInBf16 += elements * (shape.rank() < 2 ? sizeof(float) : bf16Bytes);
    }
    for (auto& [name, row] : classes)
        inspection.classes.push_back(std::move(row));
    inspection.tensors = checkpoint.names().size();
    inspection.storedBytes = checkpoint.bytes();
    for (const auto& [storage, count] : inspection.unread)
        packed.insert(storage);
    for (const std::string& type : packed)
        inspection.quantisation = inspection.quantisation.empty()
                                      ? Sentence(type)
                                      : sentence("{} and {}", inspection.quantisation, type);
    if (packed.empty())
        inspection.quantisation = sentence("none");
}

/// What a transformer of this config needs beside itself.
std::vector<Sentence> describePairing(const ModelIdentity& identity, const json& config) {
    if (identity.part != ModelPart::Transformer)
        return {};
    const auto latents = config.value("out_channels", std::int64_t{0});
    constexpr std::int64_t latents22 = 48;
    std::vector<Sentence> pairing{sentence("text encoder UMT5-XXL with its tokenizer"),
                                  latents == latents22 ? sentence("VAE of Wan 2.2 (48 channels)")
                                                       : sentence("VAE of Wan 2.1 (16 channels)")};
    if (config.contains("image_dim") && !config.at("image_dim").is_null())
        pairing.push_back(sentence("image encoder CLIP ViT-H"));
    if (identity.architecture != nullptr &&
        identity.architecture->name.find("a14b") != std::string_view::npos)
        pairing.push_back(sentence("the other of the two experts"));
    return pairing;
}

std::string shortList(const std::vector<std::string>& names) {
    const std::vector<std::string> shown(
        names.begin(), names.begin() + std::min<std::ptrdiff_t>(std::ssize(names), shownNames));
    return fmt::format("{}: {}{}", names.size(), fmt::join(shown, ", "),
                       names.size() > shownNames ? ", …" : "");
}

std::string identityLine(const ModelIdentity& identity) {
    if (!identity.relative.empty())
        return fmt::format("{}, which Meshreel does not run. {}", identity.relative, identity.instead);
    if (!identity.part)
        return "no part of a Wan model that Meshreel knows";
    const std::string what = identity.what.empty() ? "of no released size" : identity.what;
    return fmt::format("{} ({}{}{})", nameOf(*identity.part), identity.family,
                       identity.family.empty() ? "" : ", ", what);
}

/// Layers, heads, channels: what the config says of them.
std::string configLine(const json& config) {
    constexpr std::array keys = {"num_layers",
                                 "num_hidden_layers",
                                 "num_attention_heads",
                                 "num_heads",
                                 "ffn_dim",
                                 "d_model",
                                 "d_ff",
                                 "in_channels",
                                 "out_channels",
                                 "z_dim",
                                 "base_dim",
                                 "image_dim",
                                 "vace_in_channels"};
    std::vector<std::string> parts;
    for (const char* key : keys)
        if (const auto found = config.find(key); found != config.end() && !found->is_null())
            parts.push_back(fmt::format("{} {}", key, found->dump()));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string memoryLine(const WeightsInspection& inspection) {
    return fmt::format("{} whole in f32, {} in bf16 ({} free now)", formatBytes(inspection.bytesInF32),
                       formatBytes(inspection.bytesInBf16), formatBytes(inspection.available));
}

/// The family of models whose transformer this is, as what it was trained with says; null where its
/// architecture has none.
const ModelFamily* familyOfIdentity(const ModelIdentity& identity) {
    const ModelFamily* plain =
        identity.architecture == nullptr ? nullptr : familyOfArchitecture(identity.architecture->name);
    if (plain == nullptr)
        return nullptr;
    FamilyTraits traits = plain->traits;
    traits.trained = identity.trained;
    const ModelFamily* trained = findFamily(traits);
    return trained != nullptr ? trained : plain;
}

std::string tasksLine(const ModelIdentity& identity) {
    const ModelFamily* family = familyOfIdentity(identity);
    if (family == nullptr)
        return {};
    const FamilyDefaults& usual = family->defaults;
    return fmt::format("{}; usually {}x{}, {} frames at {} a second, {} steps, flow shift {}, guidance {}",
                       taskNames(*family), usual.width, usual.height, usual.numFrames, usual.fps, usual.steps,
                       usual.flowShift, usual.guidance);
}

/// For a transformer, and for an adapter, whose tensors are not part of a model's own.
std::optional<Expert> expertOf(const WeightsInspection& inspection) {
    const auto& part = inspection.identity.part;
    return part && part != ModelPart::Transformer ? std::nullopt
                                                  : readExpert(inspection.path, inspection.metadata).expert();
}

std::string expertLine(const WeightsInspection& inspection) {
    if (!expertOf(inspection))
        return {};
    const ExpertReading reading = readExpert(inspection.path, inspection.metadata);
    const Sentence both = reading.contradiction();
    const Sentence said = both.empty() ? reading.words() : both;
    const auto other = findCounterpart(inspection.path);
    return fmt::format("{}{}", said, other ? "; the other one is " + withTilde(*other) : std::string());
}

json unusedJson(const std::vector<UnusedTensors>& groups) {
    json list = json::array();
    for (const UnusedTensors& group : groups)
        list.push_back({{"names", group.names},
                        {"tensors", group.count},
                        {"meaning", group.meaning.text()},
                        {"changes_model", group.changesModel}});
    return list;
}

}  // namespace

WeightsInspection inspectWeights(const fs::path& fileOrFolder) {
    const Checkpoint checkpoint = Checkpoint::open(fileOrFolder);
    WeightsInspection inspection{.path = checkpoint.path(),
                                 .format = checkpoint.shards().front().format(),
                                 .names = namesOf(checkpoint.layout()),
                                 .identity = identify(checkpoint),
                                 .config = json::object(),
                                 .configDoubt = {},
                                 .available = availableMemory(),
                                 .classes = {},
                                 .quantisation = {},
                                 .unread = {},
                                 .unused = {},
                                 .pairing = {},
                                 .metadata = checkpoint.shards().front().metadata()};
    countElements(checkpoint, inspection);
    if (!checkpoint.layout().part)
        return inspection;
    try {
        inspection.config = configOf(checkpoint);
        inspection.pairing = describePairing(inspection.identity, inspection.config);
        if (Sentence input = describeTrainedInput(inspection.identity.trained); !input.empty())
            inspection.pairing.push_back(std::move(input));
        inspection.unused = unusedTensors(checkpoint, *checkpoint.layout().part, inspection.config);
    } catch (const json::exception&) {
        inspection.configDoubt = sentence("the config.json beside it is not of this file");
    } catch (const Error& error) {
        inspection.configDoubt = error.what();
    }
    return inspection;
}

std::optional<WeightsInspection> inspectPart(const std::filesystem::path& folder) {
    std::error_code failure;
    const bool hasWeights =
        std::ranges::any_of(std::filesystem::directory_iterator(folder, failure),
                            [](const std::filesystem::directory_entry& entry) {
                                return hasTensorFileName(entry.path()) || isShardIndexName(entry.path());
                            });
    return hasWeights ? std::optional(inspectWeights(folder)) : std::nullopt;
}

std::string formatInspection(const WeightsInspection& inspection) {
    const ModelIdentity& identity = inspection.identity;
    std::string text =
        fmt::format("weights: {}\nformat: {}, names {}\nmodel: {}\n", withTilde(inspection.path),
                    inspection.format, inspection.names, identityLine(identity));
    const auto line = [&](std::string_view label, const std::string& value) {
        if (!value.empty())
            text += fmt::format("{}: {}\n", label, value);
    };
    line("tasks", tasksLine(identity));
    line("expert", expertLine(inspection));
    line("unsure", identity.doubt);
    line("config", configLine(inspection.config));
    line("config", inspection.configDoubt);
    line("missing tensors", identity.missing.empty() ? "" : shortList(identity.missing));
    line("unexpected tensors", identity.unexpected.empty() ? "" : shortList(identity.unexpected));
    line("tensors",
         fmt::format("{}, {:.2f} billion parameters, {} stored", inspection.tensors,
                     static_cast<double>(inspection.parameters) / 1e9, formatBytes(inspection.storedBytes)));
    for (const StoredClass& row : inspection.classes) {
        std::vector<std::string> types;
        for (const auto& [type, count] : row.tensorsOfType)
            types.push_back(fmt::format("{} {}", count, type));
        line(row.name, fmt::format("{}", fmt::join(types, ", ")));
    }
    line("quantisation", inspection.quantisation);
    for (const auto& [storage, count] : inspection.unread)
        line("not read", fmt::format("{} of {} tensors are stored as {}, which Meshreel does not read. {}",
                                     count, inspection.tensors, storage, useReadableType()));
    for (const UnusedTensors& group : inspection.unused)
        line(group.changesModel ? "not used, makes it another model" : "not used", group.text());
    line("in memory", memoryLine(inspection));
    line("needs", fmt::format("{}", fmt::join(inspection.pairing, "; ")));
    for (const auto& [key, value] : inspection.metadata)
        line("metadata " + key, value.size() > shownMetadata ? value.substr(0, shownMetadata) + "…" : value);
    return text;
}

json inspectionJson(const WeightsInspection& inspection) {
    const ModelIdentity& identity = inspection.identity;
    json classes = json::object();
    for (const StoredClass& row : inspection.classes)
        classes[row.name] = row.tensorsOfType;
    return {{"path", inspection.path.string()},
            {"format", inspection.format},
            {"names", inspection.names.text()},
            {"tasks", tasksLine(identity)},
            {"part", identity.part ? json(nameOf(*identity.part)) : json(nullptr)},
            {"architecture",
             identity.architecture != nullptr ? json(identity.architecture->name) : json(nullptr)},
            {"family", identity.family.text()},
            {"what", identity.what.text()},
            {"expert", expertOf(inspection) ? json(titleOf(*expertOf(inspection)).text()) : json(nullptr)},
            {"relative", identity.relative.text()},
            {"doubt", identity.doubt.text()},
            {"config", inspection.config},
            {"config_doubt", inspection.configDoubt},
            {"missing", identity.missing},
            {"unexpected", identity.unexpected},
            {"tensors", inspection.tensors},
            {"parameters", inspection.parameters},
            {"stored_bytes", inspection.storedBytes},
            {"bytes_f32", inspection.bytesInF32},
            {"bytes_bf16", inspection.bytesInBf16},
            {"available_memory", inspection.available},
            {"classes", classes},
            {"quantisation", inspection.quantisation.text()},
            {"unread", inspection.unread},
            {"unused", unusedJson(inspection.unused)},
            {"needs", toTexts(inspection.pairing)},
            {"metadata", inspection.metadata}};
}

std::vector<InspectedPart> inspectParts(const fs::path& modelFolder) {
    std::vector<InspectedPart> parts{{"tokenizer", false, true},
                                     {"text_encoder", false, true},
                                     {"image_encoder", false, false},
                                     {"audio_encoder", false, false},
                                     {"transformer", false, true},
                                     {"transformer_2", false, false},
                                     {"vae", false, true},
                                     {"scheduler", false, true}};
    json index = json::object();
    try {
        index = readJsonObject(modelFolder / modelIndexName);
    } catch (const Error&) {
        // A folder of parts without an index: lists what every model needs.
    }
    for (InspectedPart& part : parts) {
        std::error_code ignored;
        part.found = fs::is_directory(modelFolder / part.name, ignored);
        const auto named = index.find(std::string(part.name));
        if (named != index.end())
            part.needed = named->is_array() && !named->empty() && !named->front().is_null();
    }
    return parts;
}

}  // namespace meshreel
