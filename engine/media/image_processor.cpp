// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/image_processor.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {
namespace {

// What networks take.

constexpr std::size_t colours = 3;
constexpr float largestByte = 255.0F;

/// Reads a JSON object with checks; every error names file and key.
class ProcessorReader {
  public:
    ProcessorReader(const nlohmann::json& json, std::string where) : m_json(json), m_where(std::move(where)) {
        if (!json.is_object())
            refuse("image processor", sentence("It is not an object"));
    }

    [[nodiscard]] const nlohmann::json* find(std::string_view key) const {
        const auto found = m_json.find(key);
        return found == m_json.end() || found->is_null() ? nullptr : &*found;
    }

    [[nodiscard]] bool flag(std::string_view key, bool fallback) const {
        const nlohmann::json* value = find(key);
        if (value != nullptr && !value->is_boolean())
            refuse(key, sentence("The value is neither true nor false"));
        return value == nullptr ? fallback : value->get<bool>();
    }

    [[nodiscard]] double positive(std::string_view key, double fallback) const {
        const nlohmann::json* value = find(key);
        if (value == nullptr)
            return fallback;
        if (!value->is_number() || !std::isfinite(value->get<double>()) || value->get<double>() <= 0.0)
            refuse(key, sentence("The value is not a number above 0"));
        return value->get<double>();
    }

    [[nodiscard]] std::int64_t side(std::string_view key, const nlohmann::json& value) const {
        constexpr std::int64_t largestSide = 1 << 14;
        if (!value.is_number_integer() || value.get<std::int64_t>() < 1 ||
            value.get<std::int64_t>() > largestSide)
            refuse(key, sentence("The value {} is not a number of pixels from 1 to {}", value.dump(),
                                 largestSide));
        return value.get<std::int64_t>();
    }

    [[nodiscard]] std::array<float, colours> perColour(std::string_view key,
                                                       std::array<float, colours> fallback) const {
        const nlohmann::json* value = find(key);
        if (value == nullptr)
            return fallback;
        if (!value->is_array() || value->size() != colours)
            refuse(key, sentence("The value is not a list of three numbers"));
        for (std::size_t colour = 0; colour < colours; ++colour) {
            if (!value->at(colour).is_number() || !std::isfinite(value->at(colour).get<float>()))
                refuse(key, sentence("The value is not a list of three numbers"));
            fallback[colour] = value->at(colour).get<float>();
        }
        return fallback;
    }

    [[noreturn]] void refuse(std::string_view key, Sentence message) const {
        throw Error(ErrorKind::Input, std::move(message), fmt::format("{}, key {}", m_where, key),
                    sentence("Use the preprocessor_config.json that came with the image encoder"));
    }

  private:
    const nlohmann::json& m_json;
    std::string m_where;
};

/// A side alone means a square.
void readSides(const ProcessorReader& reader, std::string_view key, std::int64_t& height,
               std::int64_t& width) {
    const nlohmann::json* value = reader.find(key);
    if (value == nullptr)
        return;
    if (value->is_object() && value->contains("height") && value->contains("width")) {
        height = reader.side(key, value->at("height"));
        width = reader.side(key, value->at("width"));
    } else {
        height = width = reader.side(key, *value);
    }
}

Resampling readResampling(const ProcessorReader& reader) {
    constexpr int lanczos = 1;
    constexpr int bilinear = 2;
    constexpr int bicubic = 3;
    const nlohmann::json* value = reader.find("resample");
    if (value == nullptr || *value == bicubic)
        return Resampling::Bicubic;
    if (*value == bilinear)
        return Resampling::Bilinear;
    if (*value == lanczos)
        return Resampling::Lanczos;
    reader.refuse("resample",
                  sentence("The filter {} is not supported, only {} (Lanczos), {} (bilinear) and {} "
                           "(bicubic)",
                           value->dump(), lanczos, bilinear, bicubic));
}

void requireRgb(const Tensor& images, std::size_t rank) {
    if (images.shape().rank() != rank || images.extent(rank - 1) != std::int64_t{colours} ||
        images.dtype() != DType::U8 || images.elements() == 0)
        throw Error(ErrorKind::Internal,
                    "images are u8 [..., height, width, 3], not " + images.shape().text());
}

/// change(byte, colour) of u8 [pixels, 3], as f32 [3, pixels].
template <typename Change>
void toPlanes(const Tensor& images, Tensor& planes, Change change) {
    const std::uint8_t* from = images.data<std::uint8_t>().data();
    const auto to = planes.data<float>();
    const std::size_t pixels = to.size() / colours;
    for (std::size_t pixel = 0; pixel < pixels; ++pixel)
        for (std::size_t colour = 0; colour < colours; ++colour)
            to[colour * pixels + pixel] = change(static_cast<float>(*from++), colour);
}

}  // namespace

ImageProcessor ImageProcessor::forSide(std::int64_t side) {
    ImageProcessor processor;
    processor.shortestEdge = side;
    processor.cropHeight = processor.cropWidth = side;
    return processor;
}

ImageProcessor ImageProcessor::fromJson(const nlohmann::json& json, const std::string& where) {
    const ProcessorReader reader(json, where);
    ImageProcessor processor = forSide(ImageProcessor().cropHeight);
    processor.resizes = reader.flag("do_resize", processor.resizes);
    processor.crops = reader.flag("do_center_crop", processor.crops);
    processor.rescales = reader.flag("do_rescale", processor.rescales);
    processor.normalises = reader.flag("do_normalize", processor.normalises);
    processor.factor = reader.positive("rescale_factor", processor.factor);
    processor.resampling = readResampling(reader);
    if (const nlohmann::json* size = reader.find("size"); size != nullptr) {
        const bool edge = size->is_object() && size->contains("shortest_edge");
        if (edge || !size->is_object()) {
            processor.shortestEdge = reader.side("size", edge ? size->at("shortest_edge") : *size);
        } else {
            processor.shortestEdge.reset();
            readSides(reader, "size", processor.height, processor.width);
        }
    }
    readSides(reader, "crop_size", processor.cropHeight, processor.cropWidth);
    processor.mean = reader.perColour("image_mean", processor.mean);
    processor.deviation = reader.perColour("image_std", processor.deviation);
    for (const float value : processor.deviation)
        if (value <= 0.0F)
            reader.refuse("image_std", sentence("A standard deviation is not positive"));
    return processor;
}

Tensor ImageProcessor::resized(const Tensor& image) const {
    requireRgb(image, 3);
    if (!resizes)
        return image;
    if (!shortestEdge)
        return resizeImage(image, height, width, resampling);
    const std::int64_t rows = image.extent(0);
    const std::int64_t columns = image.extent(1);
    // Cut off, as upstream does.
    const auto longer =
        static_cast<std::int64_t>(static_cast<double>(*shortestEdge * std::max(rows, columns)) /
                                  static_cast<double>(std::min(rows, columns)));
    return columns <= rows ? resizeImage(image, longer, *shortestEdge, resampling)
                           : resizeImage(image, *shortestEdge, longer, resampling);
}

Tensor ImageProcessor::toPixels(const Tensor& image) const {
    Tensor picture = resized(image);
    if (crops)
        picture = cropToCentre(picture, cropHeight, cropWidth);
    Tensor pixels = Tensor::empty({1, std::int64_t{colours}, picture.extent(0), picture.extent(1)});
    toPlanes(picture, pixels, [&](float byte, std::size_t colour) {
        const float value = rescales ? static_cast<float>(static_cast<double>(byte) * factor) : byte;
        return normalised(value, colour);
    });
    return pixels;
}

Tensor ImageProcessor::stretchedPixels(const Tensor& image) const {
    requireRgb(image, 3);
    constexpr float half = largestByte / 2;
    Tensor planes = Tensor::empty({1, std::int64_t{colours}, image.extent(0), image.extent(1)});
    toPlanes(image, planes, [](float byte, std::size_t) { return byte / half - 1.0F; });
    Tensor pixels = interpolatePlanes(planes, cropHeight, cropWidth, Interpolation::Bicubic);
    const auto values = pixels.data<float>();
    const std::size_t plane = values.size() / colours;
    for (std::size_t index = 0; index < values.size(); ++index)
        values[index] = normalised(values[index] * 0.5F + 0.5F, index / plane);
    return pixels;
}

Tensor videoPixels(const Tensor& frames) {
    requireRgb(frames, 4);
    Tensor pixels =
        Tensor::empty({std::int64_t{colours}, frames.extent(0), frames.extent(1), frames.extent(2)});
    toPlanes(frames, pixels, [](float byte, std::size_t) { return 2.0F * (byte / largestByte) - 1.0F; });
    return pixels;
}

}  // namespace meshreel
