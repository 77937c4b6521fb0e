// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/checkpoint_maker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/stop_token.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/catalogue/model_library.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/weights/formats/safetensors_writer.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

/// A component of the Wan 2.1 text-to-video models; the transformer is the one that is asked for.
struct MadePart {
    std::string_view folder;
    std::string_view architecture;
    std::string_view library;
    std::string_view className;
};
constexpr std::array modelTable{
    MadePart{"transformer", "", "diffusers", "WanTransformer3DModel"},
    MadePart{"vae", "wan2.1-vae", "diffusers", "AutoencoderKLWan"},
    MadePart{"text_encoder", "umt5-xxl", "transformers", "UMT5EncoderModel"},
};
constexpr std::array partNames{modelTable[0].folder, modelTable[1].folder, modelTable[2].folder};
constexpr std::string_view wholeModels = "wan2.1-t2v-";
constexpr std::string_view embeddedModel = "models/tiny-wan-t2v";
constexpr int jsonIndent = 2;

using Shard = std::vector<TensorSpec>;

std::size_t bytesOf(std::span<const TensorSpec> tensors) {
    std::size_t bytes = 0;
    for (const TensorSpec& tensor : tensors)
        bytes += tensor.bytes();
    return bytes;
}

std::vector<Shard> shardsOf(const std::vector<TensorSpec>& tensors, std::size_t shardBytes) {
    std::vector<Shard> shards(1);
    std::size_t filled = 0;
    for (const TensorSpec& tensor : tensors) {
        if (filled > 0 && filled + tensor.bytes() > shardBytes) {
            shards.emplace_back();
            filled = 0;
        }
        filled += tensor.bytes();
        shards.back().push_back(tensor);
    }
    return shards;
}

json indexOf(std::span<const Shard> shards, std::span<const std::string> files) {
    json weightMap = json::object();
    std::size_t total = 0;
    for (std::size_t index = 0; index < shards.size(); ++index) {
        total += bytesOf(shards[index]);
        for (const TensorSpec& tensor : shards[index])
            weightMap[tensor.name] = files[index];
    }
    return {{"metadata", {{"total_size", total}}}, {"weight_map", std::move(weightMap)}};
}

/// Makes components one after the other and reports the progress of all of them.
class Maker {
  public:
    Maker(const Execution& execution, std::size_t bytes, const MakeProgress& onProgress)
        : m_execution(execution), m_bytes(bytes), m_onProgress(onProgress) {}

    MadeCheckpoint component(const CheckpointOrder& order, const fs::path& folder) {
        const ArchitectureFamily& family = order.architecture->family;
        fs::create_directories(folder);
        writeFileAtomically(folder / "config.json",
                            configOf(*order.architecture, order.layers).dump(jsonIndent) + "\n");
        const std::vector<TensorSpec> tensors = tensorsOf(*order.architecture, order.layers, order.dtype);
        const std::vector<Shard> shards = shardsOf(tensors, family.shardBytes);
        std::vector<std::string> files;
        for (std::size_t index = 0; index < shards.size(); ++index)
            files.push_back(shards.size() == 1 ? fmt::format("{}.safetensors", family.weightsFile)
                                               : fmt::format("{}-{:05}-of-{:05}.safetensors",
                                                             family.weightsFile, index + 1, shards.size()));
        for (std::size_t index = 0; index < shards.size(); ++index)
            streamSafetensors(folder / files[index], shards[index], filler(order, shards[index]),
                              {{"format", "pt"}});
        if (shards.size() > 1)
            writeFileAtomically(folder / fmt::format("{}.safetensors.index.json", family.weightsFile),
                                indexOf(shards, files).dump(jsonIndent) + "\n");
        return {.tensors = tensors.size(), .files = shards.size(), .bytes = bytesOf(tensors)};
    }

  private:
    TensorFiller filler(const CheckpointOrder& order, const Shard& shard) {
        if (order.sparse)
            return {};
        return [this, weights = RandomWeights(order.seed), &shard](std::size_t index, std::int64_t first,
                                                                   std::span<float> values) {
            throwIfStopped(m_execution.stop);
            const TensorSpec& tensor = shard[index];
            weights.fill(m_execution.workers, tensor.name, tensor.shape, first, values);
            m_done += values.size() * byteSize(tensor.dtype);
            if (m_onProgress)
                m_onProgress(m_done, m_bytes);
        };
    }

    const Execution& m_execution;
    std::size_t m_bytes;
    const MakeProgress& m_onProgress;
    std::size_t m_done = 0;
};

void requireVacant(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(folder, ignored)))
        return;
    if (!fs::is_directory(folder, ignored) || !fs::is_empty(folder, ignored))
        throw Error(ErrorKind::Project, sentence("something is there already"), withTilde(folder),
                    sentence("Choose a folder that does not exist yet, or remove it first"));
}

void requireSpace(const fs::path& folder, std::size_t bytes) {
    const std::uint64_t available = freeDiskSpace(folder);
    if (available < bytes)
        throw Error(ErrorKind::Resources,
                    sentence("{} of weights do not fit on the disk, which has {} left", formatBytes(bytes),
                             formatBytes(available)),
                    withTilde(folder), sentence("Choose fewer --layers, --sparse or another disk"));
}

/// "x/y/" without the slash, with which it has no name; with a folder to be in.
fs::path placed(const fs::path& folder) {
    const fs::path named = folder.has_filename() ? folder : folder.parent_path();
    std::error_code failure;  // writing there reports it
    if (named.has_parent_path())
        fs::create_directories(named.parent_path(), failure);
    return named;
}

std::size_t bytesOf(const CheckpointOrder& order) {
    return bytesOf(tensorsOf(*order.architecture, order.layers, order.dtype));
}

/// Returns the order of one part of a whole model.
CheckpointOrder partOf(const CheckpointOrder& order, const MadePart& part) {
    if (part.architecture.empty())
        return order;
    CheckpointOrder own{
        .architecture = &requireArchitecture(part.architecture), .sparse = order.sparse, .seed = order.seed};
    const std::string key(own.architecture->family.layersKey);
    if (order.layers && !key.empty())
        own.layers = std::min(*order.layers, configOf(*own.architecture).at(key).get<std::int64_t>());
    return own;
}

json modelIndex(std::span<const MadePart> parts) {
    json index = {{"_class_name", "WanPipeline"},
                  {"_diffusers_version", "0.35.0"},
                  {randomWeightsKey, true},
                  {"scheduler", {"diffusers", "UniPCMultistepScheduler"}},
                  {"tokenizer", {"transformers", "T5TokenizerFast"}}};
    for (const MadePart& part : modelTable) {
        const bool made = std::ranges::find(parts, part.folder, &MadePart::folder) != parts.end();
        index[std::string(part.folder)] = made ? json{part.library, part.className} : json{nullptr, nullptr};
    }
    return index;
}

std::vector<MadePart> requireParts(const CheckpointOrder& order, std::span<const std::string> names) {
    if (!order.architecture->name.starts_with(wholeModels))
        throw Error(
            ErrorKind::Project, sentence("no whole model is made around {}", order.architecture->name),
            "--parts",
            sentence("Choose {}1.3b or {}14b, or make each component by itself", wholeModels, wholeModels));
    std::vector<MadePart> parts;
    for (const std::string& name : names) {
        const auto* found = std::ranges::find(modelTable, name, &MadePart::folder);
        if (found == modelTable.end())
            throw Error(ErrorKind::Project, sentence("there is no part '{}'", name), "--parts",
                        sentence("Choose among {}", fmt::to_string(fmt::join(partNames, ", "))));
        parts.push_back(*found);
    }
    return parts;
}

void copyEmbedded(const char* part, const fs::path& folder) {
    fs::copy(resourceFolder() / embeddedModel / part, folder / part, fs::copy_options::recursive);
}

}  // namespace

MadeCheckpoint makeCheckpoint(const Execution& execution, const CheckpointOrder& order,
                              const fs::path& folder, const MakeProgress& onProgress) {
    requireVacant(folder);
    const std::size_t bytes = bytesOf(order);
    if (!order.sparse)
        requireSpace(folder, bytes);
    MadeCheckpoint made;
    writeFolderAtomically(placed(folder), [&](const fs::path& temporary) {
        made = Maker(execution, bytes, onProgress).component(order, temporary);
    });
    return made;
}

std::span<const std::string_view> modelParts() {
    return partNames;
}

MadeCheckpoint makeModel(const Execution& execution, const CheckpointOrder& order,
                         std::span<const std::string> parts, const fs::path& folder,
                         const MakeProgress& onProgress) {
    const std::vector<MadePart> chosen = requireParts(order, parts);
    requireVacant(folder);
    std::size_t bytes = 0;
    for (const MadePart& part : chosen)
        bytes += bytesOf(partOf(order, part));
    if (!order.sparse)
        requireSpace(folder, bytes);
    MadeCheckpoint made;
    writeFolderAtomically(placed(folder), [&](const fs::path& temporary) {
        Maker maker(execution, bytes, onProgress);
        for (const MadePart& part : chosen) {
            const MadeCheckpoint component = maker.component(partOf(order, part), temporary / part.folder);
            made.tensors += component.tensors;
            made.files += component.files;
            made.bytes += component.bytes;
        }
        fs::create_directories(temporary);
        for (const char* part : {"tokenizer", "scheduler"})
            copyEmbedded(part, temporary);
        writeFileAtomically(temporary / modelIndexName, modelIndex(chosen).dump(jsonIndent) + "\n");
    });
    return made;
}

}  // namespace meshreel
