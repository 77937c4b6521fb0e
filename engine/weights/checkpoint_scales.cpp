// SPDX-License-Identifier: GPL-3.0-or-later
// How a checkpoint's quantised weights are stored, whether that can be read, and what their scales make of
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/comfy_quantisation.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/tensor_names.h"

namespace meshreel {
namespace {

/// ComfyUI's descriptions take a hundred bytes or so.
constexpr std::size_t largestDescription = 4096;
constexpr std::size_t shownFormat = 40;

/// Where ComfyUI's files of 2025 describe all weights together.
constexpr const char* quantisationMetadata = "_quantization_metadata";

// TurboDiffusion's Int8Linear (turbodiffusion/ops/core.py): int8 numbers under a name of their own, and
// beside them a number for each square of 128 × 128, rows of squares one behind the other.
constexpr std::string_view turboNumbers = ".int8_weight";
constexpr std::string_view turboScales = ".scale";
constexpr std::int64_t turboSquare = 128;

/// Of a name in the network, whatever wraps it in the file.
std::string plainStem(const FileTensor& tensor) {
    return std::string(stemOf(withoutWrappers(tensor.name)));
}

/// Whether what stands beside a weight scales it, by its name; those of activations do not.
bool isScaleOfItsOwn(std::string_view besideStem) {
    const auto says = [&](std::string_view word) { return besideStem.find(word) != std::string_view::npos; };
    return (says("scale") || says("amax")) && !says("input") && !says("output") &&
           !parseScaleName(besideStem);
}

/// What ComfyUI describes has scales in blocks of floats only.
bool hasScalesOfSquares(const ComfyCoding& coding) {
    return coding.scaleBlock > 0 && coding.tensor.type == StoredType::I8;
}

Shape squaresOf(const Shape& matrix) {
    const auto count = [](std::int64_t extent) { return (extent + turboSquare - 1) / turboSquare; };
    return {count(matrix[0]), count(matrix[1])};
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
std::optional<nlohmann::json> Checkpoint::comfyDescription(const FileTensor& tensor) const {
    const std::string stem = plainStem(tensor);
    if (const auto beside = m_stored.find(stem + std::string(comfyQuantSuffix)); beside != m_stored.end()) {
        const std::span<const std::byte> bytes = m_files[beside->second.file].bytes(stored(beside->second));
        if (bytes.size() > largestDescription)
            return std::nullopt;
        nlohmann::json description = nlohmann::json::parse(
            std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), nullptr, false);
        return description.is_object() ? std::move(description) : nlohmann::json::object();
    }
    if (m_describedLayers == nullptr)
        return std::nullopt;
    const std::string bare = stem.substr(stem.starts_with(m_layout.prefix) ? m_layout.prefix.size() : 0);
    for (const std::string& key : {stem, bare})
        if (const auto layer = m_describedLayers->find(key);
            layer != m_describedLayers->end() && layer->is_object())
            return *layer;
    return std::nullopt;
}

void Checkpoint::readCoding(Entry& entry) const {
    const FileTensor& tensor = stored(entry.place);
    const bool rowsAsStored =
        entry.how.reshaping == Reshaping::None || entry.how.reshaping == Reshaping::Rows;
    if (!rowsAsStored || tensor.shape.rank() != 2)
        return;
    const std::string stem = plainStem(tensor);
    if (m_stored.contains(stem + ".pre_quant_scale"))
        return;
    if (tensor.name.ends_with(turboNumbers) && tensor.type == StoredType::I8) {
        const auto scale = m_stored.find(stem + std::string(turboScales));
        if (scale == m_stored.end())
            return;
        entry.scale = scale->second;
        const bool ofSquares = stored(*entry.scale).shape == squaresOf(tensor.shape);
        entry.coding = ComfyCoding{.tensor = tensor, .scaleBlock = ofSquares ? turboSquare : 0};
        return;
    }
    const std::optional<nlohmann::json> description = comfyDescription(tensor);
    if (!description)
        return;
    entry.coding = comfyCoding(*description, tensor);
    if (entry.coding && entry.coding->hasWholeScale)
        if (const auto whole = m_stored.find(stem + ".weight_scale_2"); whole != m_stored.end())
            entry.wholeScale = whole->second;
}

Sentence Checkpoint::unreadStorage(const Entry& entry) const {
    const FileTensor& tensor = stored(entry.place);
    const bool isPlain = isWeightType(tensor.type) && !isFloat8(tensor.type) && !needsScale(tensor.type);
    if (isPlain || entry.coding)
        return {};
    const std::optional<nlohmann::json> description = comfyDescription(tensor);
    if (description)
        if (Sentence named = comfyStorageName(*description, tensor); !named.empty())
            return named;
    const std::string stem = plainStem(tensor);
    for (const QuantisedLayout& layout : quantisedLayouts())
        if (m_stored.contains(stem + std::string(layout.suffix)))
            return Sentence(layout.name);
    // Whoever writes a scale under a name that is not known still wants it applied.
    if (!entry.scale)
        for (auto beside = m_stored.lower_bound(stem + ".");
             beside != m_stored.end() && beside->first.starts_with(stem + "."); ++beside)
            if (isScaleOfItsOwn(std::string_view(beside->first).substr(stem.size())))
                return sentence("{} with a scale of its own kind ({})", excerpt(tensor.typeName, shownFormat),
                                excerpt(beside->first.substr(stem.size() + 1), shownFormat));
    if (isFloat8(tensor.type) || (tensor.type == StoredType::I8 && entry.scale))
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
        return !isWeightType(type) || isFloat8(type) || needsScale(type);
    }
    return std::ranges::any_of(quantisedLayouts(), [&](const QuantisedLayout& layout) {
        return layout.inPlaceOfWeight && m_stored.contains(stem + std::string(layout.suffix));
    });
}

/// One number, or one for each row of the stored tensor; of codings in blocks one for each block.
void Checkpoint::requireScaleFits(const Entry& entry) const {
    const std::string where =
        tensorPlace(m_files[entry.place.file].path().string(), stored(entry.place).name);
    if (!entry.scale && entry.coding)
        throw Error(ErrorKind::Input, sentence("its scale (weight_scale) is missing"), where,
                    sentence("The file is incomplete: get it again"));
    if (!entry.scale)
        return;
    const bool ofSquares = entry.coding && hasScalesOfSquares(*entry.coding);
    if (entry.coding && entry.coding->scaleBlock > 0 && !ofSquares) {
        requireBlockScalesFit(entry, where);
        return;
    }
    const FileTensor& scale = stored(*entry.scale);
    if (!isWeightType(scale.type) || needsScale(scale.type))
        throw Error(
            ErrorKind::Input,
            sentence("its scale is of type {}, which is not read", excerpt(scale.typeName, shownFormat)),
            where, sentence("Use a file with one scale for each weight"));
    const Shape& whole = stored(entry.place).shape;
    const bool isOfRows =
        whole.rank() > 0 && scale.shape.elements() == whole[0] && entry.how.reshaping != Reshaping::Transpose;
    if (scale.shape.elements() != 1 && !isOfRows && !ofSquares)
        throw Error(ErrorKind::Input,
                    sentence("its scale has shape {}: neither one number nor one for each of its rows",
                             scale.shape.text()),
                    where, sentence("Use a file with one scale for each weight"));
}

void Checkpoint::requireBlockScalesFit(const Entry& entry, const std::string& where) const {
    const FileTensor& scale = stored(*entry.scale);
    const Shape& whole = entry.coding->tensor.shape;
    const std::int64_t wanted = BlockScales::count(whole[0], whole[1] / entry.coding->scaleBlock);
    const bool isNumbers = entry.coding->hasWholeScale
                               ? scale.type == StoredType::F8E4M3
                               : scale.typeName == "U8" || scale.typeName == "F8_E8M0";
    if (!isNumbers || !scale.strides.empty())
        throw Error(
            ErrorKind::Input,
            sentence("its scale is of type {}, which is not read", excerpt(scale.typeName, shownFormat)),
            where, sentence("The file is damaged: get it again"));
    if (scale.shape.elements() != wanted)
        throw Error(ErrorKind::Input,
                    sentence("its scale has shape {}, but {} numbers were expected, in tiles of 128 rows and "
                             "4 columns",
                             scale.shape.text(), wanted),
                    where, sentence("The file is damaged: get it again"));
    if (entry.coding->hasWholeScale &&
        (!entry.wholeScale || stored(*entry.wholeScale).type != StoredType::F32 ||
         stored(*entry.wholeScale).shape.elements() != 1))
        throw Error(ErrorKind::Input, sentence("weight_scale_2, one number, is missing or of another type"),
                    where, sentence("The file is incomplete: get it again"));
}

void Checkpoint::applyScale(const Entry& entry, const RowsPlace& place, Tensor& rows) const {
    requireScaleFits(entry);
    if (entry.coding && entry.coding->scaleBlock > 0) {
        applyBlockScales(entry, place, rows);
        return;
    }
    const Tensor scale = m_files[entry.scale->file].read(stored(*entry.scale)).toF32();
    const auto factors = scale.data<float>();
    const auto values = rows.data<float>();
    if (factors.size() == 1) {
        for (float& value : values)
            value *= factors[0];
        return;
    }
    const std::int64_t offset = firstStoredRow(entry);
    const std::size_t width =
        values.size() / static_cast<std::size_t>(std::max<std::int64_t>(rows.extent(0), 1));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] *= factors[static_cast<std::size_t>(offset + place.firstRow) + i / width];
}

void Checkpoint::applyBlockScales(const Entry& entry, const RowsPlace& place, Tensor& rows) const {
    const std::int64_t block = entry.coding->scaleBlock;
    const FileTensor& scale = stored(*entry.scale);
    if (hasScalesOfSquares(*entry.coding)) {
        const Tensor factors = m_files[entry.scale->file].read(scale).toF32();
        const std::int64_t first = firstStoredRow(entry) + place.firstRow;
        const std::int64_t columns = rows.extent(1);
        float* value = rows.data<float>().data();
        for (std::int64_t row = 0; row < rows.extent(0); ++row)
            for (std::int64_t column = 0; column < columns; ++column)
                *value++ *= factors.data<float>()[static_cast<std::size_t>(
                    (first + row) / block * factors.extent(1) + (place.firstColumn + column) / block)];
        return;
    }
    const BlockScales scales(m_files[entry.scale->file].bytes(scale), entry.shape[1] / block,
                             scale.type != StoredType::F8E4M3);
    const float whole =
        entry.wholeScale
            ? m_files[entry.wholeScale->file].read(stored(*entry.wholeScale)).toF32().data<float>()[0]
            : 1.0F;
    const std::int64_t firstRow = firstStoredRow(entry) + place.firstRow;
    const std::int64_t width = rows.extent(1);
    const auto values = rows.data<float>();
    for (std::int64_t row = 0; row < rows.extent(0); ++row)
        for (std::int64_t column = 0; column < width; ++column)
            values[static_cast<std::size_t>(row * width + column)] *=
                whole * scales.at(firstRow + row, (place.firstColumn + column) / block);
}

}  // namespace meshreel
