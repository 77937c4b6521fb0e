// SPDX-License-Identifier: GPL-3.0-or-later
// How a checkpoint's weights are stored, as far as that decides whether they can be read.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/excerpt.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors_header.h"

namespace meshreel {
namespace {

/// ComfyUI's descriptions take a hundred bytes or so.
constexpr std::size_t largestDescription = 4096;
constexpr std::size_t shownFormat = 40;

/// Where ComfyUI's files of 2025 describe all weights together.
constexpr const char* quantisationMetadata = "_quantization_metadata";

/// Formats of ComfyUI's descriptions that are read: fp8, whose scale stands beside it as in other files.
constexpr std::array<std::string_view, 2> readFormats = {"float8_e4m3fn", "float8_e5m2"};

bool isFloat8Type(StoredType type) {
    return type == StoredType::F8E4M3 || type == StoredType::F8E5M2;
}

/// What a description calls the storage, where that is not read.
Sentence namedStorage(const nlohmann::json& description, const FileTensor& tensor) {
    const auto found = description.find("format");
    if (found == description.end() || !found->is_string() || found->get_ref<const std::string&>().empty())
        return isFloat8Type(tensor.type)
                   ? Sentence()
                   : sentence("{} whose comfy_quant names no format",
                              tensor.typeName == "I8" ? std::string("int8") : excerpt(tensor.typeName));
    const std::string format = excerpt(found->get_ref<const std::string&>(), shownFormat);
    if (isFloat8Type(tensor.type) && std::ranges::find(readFormats, format) != readFormats.end())
        return {};
    const auto rotated = description.find("convrot");
    const bool isRotated = rotated != description.end() && rotated->is_boolean() && rotated->get<bool>();
    return isRotated ? Sentence(format + " with ConvRot") : Sentence(format);
}

}  // namespace

void Checkpoint::readDescribedLayers() {
    for (const TensorFile& file : m_files) {
        const auto found = file.metadata().find(quantisationMetadata);
        if (found == file.metadata().end())
            continue;
        const nlohmann::json described = nlohmann::json::parse(found->second, nullptr, false);
        if (described.is_object() && described.contains("layers") && described.at("layers").is_object())
            m_describedLayers = std::make_shared<const nlohmann::json>(described.at("layers"));
    }
}

/// What ComfyUI says beside the weight, or of all weights in the file's metadata.
Sentence Checkpoint::comfyStorage(const FileTensor& tensor) const {
    const std::string stem(stemOf(tensor.name));
    if (const auto beside = m_stored.find(stem + std::string(comfyQuantSuffix)); beside != m_stored.end()) {
        const std::span<const std::byte> bytes = m_files[beside->second.file].bytes(stored(beside->second));
        if (bytes.size() > largestDescription)
            return {};
        const nlohmann::json description = nlohmann::json::parse(
            std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), nullptr, false);
        return namedStorage(description.is_object() ? description : nlohmann::json::object(), tensor);
    }
    if (m_describedLayers == nullptr)
        return {};
    const std::string bare = stem.substr(stem.starts_with(m_layout.prefix) ? m_layout.prefix.size() : 0);
    for (const std::string& key : {stem, bare})
        if (const auto layer = m_describedLayers->find(key);
            layer != m_describedLayers->end() && layer->is_object())
            return namedStorage(*layer, tensor);
    return {};
}

Sentence Checkpoint::unreadStorage(const Entry& entry) const {
    const FileTensor& tensor = stored(entry.place);
    if (isWeightType(tensor.type) && !isFloat8Type(tensor.type))
        return {};
    if (Sentence named = comfyStorage(tensor); !named.empty())
        return named;
    const std::string stem(stemOf(tensor.name));
    for (const QuantisedLayout& layout : quantisedLayouts())
        if (m_stored.contains(stem + std::string(layout.suffix)))
            return Sentence(layout.name);
    if (isFloat8Type(tensor.type))
        return {};
    return tensor.typeName == "I8" ? Sentence("int8") : Sentence(excerpt(tensor.typeName, shownFormat));
}

Sentence Checkpoint::unreadStorage(std::string_view name) const {
    return unreadStorage(entry(name));
}

bool Checkpoint::standsBesideWeight(std::string_view prefix, std::string_view bare) const {
    const std::optional<std::string> weight = weightBeside(bare);
    if (!weight)
        return false;
    const std::string stem = std::string(prefix) + std::string(stemOf(*weight));
    const auto plain = m_stored.find(std::string(prefix) + *weight);
    if (plain != m_stored.end()) {
        const StoredType type = stored(plain->second).type;
        return !isWeightType(type) || isFloat8Type(type);
    }
    return std::ranges::any_of(quantisedLayouts(), [&](const QuantisedLayout& layout) {
        return layout.inPlaceOfWeight && m_stored.contains(stem + std::string(layout.suffix));
    });
}

/// One number, or one for each row of the stored tensor.
void Checkpoint::requireScaleFits(const Entry& entry) const {
    if (!entry.scale)
        return;
    const FileTensor& scale = stored(*entry.scale);
    const std::string where =
        tensorPlace(m_files[entry.place.file].path().string(), stored(entry.place).name);
    if (!isWeightType(scale.type))
        throw Error(
            ErrorKind::Input,
            sentence("its scale is of type {}, which is not read", excerpt(scale.typeName, shownFormat)),
            where, sentence("Use a file with one scale for each weight"));
    const Shape& whole = stored(entry.place).shape;
    const bool isOfRows =
        whole.rank() > 0 && scale.shape.elements() == whole[0] && entry.how.reshaping != Reshaping::Transpose;
    if (scale.shape.elements() != 1 && !isOfRows)
        throw Error(ErrorKind::Input,
                    sentence("its scale has shape {}: neither one number nor one for each of its rows",
                             scale.shape.text()),
                    where, sentence("Use a file with one scale for each weight"));
}

}  // namespace meshreel
