// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/comfy_quantisation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/number_types.h"
#include "engine/base/strings.h"
#include "engine/weights/formats/stored_type.h"

namespace meshreel {
namespace {

using nlohmann::json;

constexpr std::size_t shownFormatBytes = 40;
constexpr std::int64_t nvfp4Block = 16;
constexpr std::int64_t mxfp8Block = 32;
constexpr std::int64_t usualGroup = 256;
constexpr std::int64_t largestGroup = 4096;

constexpr std::int64_t tileRows = 128;
constexpr std::int64_t tileColumns = 4;
constexpr std::int64_t tileRowsTogether = 32;

std::string findReportFormat(const json& description) {
    const auto found = description.find("format");
    return found != description.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool isRotated(const json& description) {
    const auto found = description.find("convrot");
    return found != description.end() && found->is_boolean() && found->get<bool>();
}

/// Returns 0 unless it is a power of four.
std::int64_t groupOf(const json& description) {
    const auto found = description.find("convrot_groupsize");
    const std::int64_t group = found == description.end()   ? usualGroup
                               : found->is_number_integer() ? found->get<std::int64_t>()
                                                            : 0;
    const bool isPower = group >= 4 && group <= largestGroup &&
                         std::has_single_bit(static_cast<std::uint64_t>(group)) &&
                         std::countr_zero(static_cast<std::uint64_t>(group)) % 2 == 0;
    return isPower ? group : 0;
}

std::optional<ComfyCoding> int8Coding(const json& description, const FileTensor& tensor) {
    ComfyCoding coding{.tensor = tensor};
    if (isRotated(description)) {
        coding.rotatedGroup = groupOf(description);
        if (coding.rotatedGroup == 0 || tensor.shape[1] % coding.rotatedGroup != 0)
            return std::nullopt;
    }
    return coding;
}

}  // namespace

std::optional<ComfyCoding> comfyCoding(const json& description, const FileTensor& tensor) {
    if (tensor.shape.rank() != 2 || !tensor.strides.empty())
        return std::nullopt;
    const std::string format = findReportFormat(description);
    if (format == "int8_tensorwise" && tensor.type == StoredType::I8)
        return int8Coding(description, tensor);
    if (format == "mxfp8" && tensor.type == StoredType::F8E4M3 && tensor.shape[1] % mxfp8Block == 0)
        return ComfyCoding{.tensor = tensor, .scaleBlock = mxfp8Block};
    if (format == "nvfp4" && tensor.type == StoredType::U8 && tensor.shape[1] % (nvfp4Block / 2) == 0) {
        ComfyCoding coding{.tensor = tensor, .scaleBlock = nvfp4Block, .hasWholeScale = true};
        coding.tensor.type = StoredType::F4E2M1;
        coding.tensor.shape = {tensor.shape[0], 2 * tensor.shape[1]};
        return coding;
    }
    return std::nullopt;
}

Sentence comfyStorageName(const json& description, const FileTensor& tensor) {
    const std::string format = findReportFormat(description);
    if (format.empty())
        return isFloat8(tensor.type)
                   ? Sentence()
                   : sentence("{} whose comfy_quant names no format",
                              tensor.typeName == "I8" ? std::string("int8") : excerpt(tensor.typeName));
    if (isFloat8(tensor.type) && (format == "float8_e4m3fn" || format == "float8_e5m2"))
        return {};
    const std::string shown = excerpt(format, shownFormatBytes);
    return isRotated(description) ? Sentence(shown + " with ConvRot") : Sentence(shown);
}

BlockScales::BlockScales(std::span<const std::byte> stored, std::int64_t columns, bool areExponents)
    : m_tilesInRow((columns + tileColumns - 1) / tileColumns) {
    constexpr unsigned mantissaBits = 23;
    m_values.reserve(stored.size());
    for (const std::byte byte : stored) {
        const auto bits = std::to_integer<std::uint8_t>(byte);
        m_values.push_back(areExponents
                               ? std::bit_cast<float>(static_cast<std::uint32_t>(bits) << mantissaBits)
                               : toFloat(Float8E4M3{bits}));
    }
}

float BlockScales::at(std::int64_t row, std::int64_t column) const {
    const std::int64_t tile = row / tileRows * m_tilesInRow + column / tileColumns;
    const std::int64_t inRows = row % tileRows;
    const std::int64_t inTile = inRows % tileRowsTogether * (tileRows / tileRowsTogether * tileColumns) +
                                inRows / tileRowsTogether * tileColumns + column % tileColumns;
    return m_values[static_cast<std::size_t>(tile * tileRows * tileColumns + inTile)];
}

std::int64_t BlockScales::count(std::int64_t rows, std::int64_t columns) {
    return (rows + tileRows - 1) / tileRows * tileRows *
           ((columns + tileColumns - 1) / tileColumns * tileColumns);
}

void unrotate(std::span<float> values, std::int64_t group) {
    constexpr std::size_t four = 4;
    const auto size = static_cast<std::size_t>(group);
    const float norm = 1.0F / std::sqrt(static_cast<float>(group));
    for (std::size_t first = 0; first + size <= values.size(); first += size) {
        const std::span<float> own = values.subspan(first, size);
        for (std::size_t stride = 1; stride < size; stride *= four)
            for (std::size_t i = 0; i < size; ++i) {
                if (i / stride % four != 0)
                    continue;
                // All ones but the anti-diagonal, which is -1.
                std::array<float, four> at{};
                for (std::size_t k = 0; k < four; ++k)
                    at[k] = own[i + k * stride];
                const float sum = at[0] + at[1] + at[2] + at[3];
                for (std::size_t k = 0; k < four; ++k)
                    own[i + k * stride] = sum - 2.0F * at[four - 1 - k];
            }
        for (float& value : own)
            value *= norm;
    }
}

}  // namespace meshreel
