// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/finish/upscaler_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/numbers.h"
#include "engine/base/sentence.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

constexpr std::int64_t pictureChannels = 3;
constexpr std::int64_t mostDoublings = 3;

struct RenamedPart {
    std::string_view from;
    std::string_view into;
};

// Names of xinntao/ESRGAN of 2018 and later, as Real-ESRGAN has them.
constexpr std::array laterNames{RenamedPart{"RRDB_trunk.", "body."}, RenamedPart{"trunk_conv.", "conv_body."},
                                RenamedPart{"upconv1.", "conv_up1."}, RenamedPart{"upconv2.", "conv_up2."},
                                RenamedPart{"HRconv.", "conv_hr."}};

/// "RDB2.conv3.weight" or, with `.0` behind the convolution, "RDB2.conv3.0.weight".
std::string denseName(std::string_view block, std::string_view layer) {
    std::string name = fmt::format("body.{}.{}", block, layer);
    const std::size_t dense = name.find(".RDB");
    if (dense != std::string::npos)
        name.replace(dense, 4, ".rdb");
    const std::size_t end = name.rfind(".0.");
    if (end != std::string::npos && name.find(".conv") < end)
        name.replace(end, 3, ".");
    return name;
}

/// Names of the first ESRGAN, whose layers are counted: 0 is the first convolution, 1 the blocks with the
/// convolution behind them, the rest the tail.
std::string countedName(std::string_view name) {
    constexpr std::string_view blocks = "1.sub.";
    if (name.starts_with("0."))
        return "conv_first." + std::string(name.substr(2));
    if (!name.starts_with(blocks))
        return "tail." + std::string(name);
    name.remove_prefix(blocks.size());
    const std::size_t dot = name.find('.');
    const std::string_view layer = dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
    if (layer.starts_with("RDB"))
        return denseName(name.substr(0, dot), layer);
    return "conv_body." + std::string(layer);
}

std::string upscalerName(std::string_view name) {
    constexpr std::string_view counted = "model.";
    if (name.starts_with(counted))
        return countedName(name.substr(counted.size()));
    for (const RenamedPart& part : laterNames)
        if (name.starts_with(part.from)) {
            const std::string_view rest = name.substr(part.from.size());
            const std::size_t dot = rest.find('.');
            return part.into == "body." && dot != std::string_view::npos
                       ? denseName(rest.substr(0, dot), rest.substr(dot + 1))
                       : std::string(part.into) + std::string(rest);
        }
    return std::string(name);
}

std::int64_t upscalerExtent(const NetworkTensors& tensors, std::string_view name, std::size_t axis) {
    const Shape shape = tensors.shape(name);
    return axis < shape.rank() ? shape[axis] : 0;
}

bool isDense(const NetworkTensors& tensors) {
    return tensors.has("body.0.rdb1.conv1.weight") && tensors.has("conv_first.weight");
}

bool isCompact(const NetworkTensors& tensors) {
    return tensors.shape("body.0.weight").rank() == 4 && !tensors.has("conv_first.weight");
}

/// The whole root of a square; 0 for other numbers.
std::int64_t wholeRoot(std::int64_t square) {
    for (std::int64_t root = 1; root * root <= square; ++root)
        if (root * root == square)
            return root;
    return 0;
}

Sentence knownUpscalers() {
    return sentence(
        "Use a network of ESRGAN's or Real-ESRGAN's kind, such as 4x-UltraSharp, RealESRGAN_x2plus or "
        "realesr-general-x4v3");
}

std::vector<std::string> tailOf(const NetworkTensors& tensors) {
    if (tensors.has("conv_up1.weight") || tensors.has("conv_hr.weight"))
        return {"conv_up1", "conv_up2", "conv_hr", "conv_last"};
    constexpr std::string_view prefix = "tail.";
    std::map<int, std::string> counted;
    for (const std::string& name : tensors.names()) {
        if (!name.starts_with(prefix) || !name.ends_with(".weight"))
            continue;
        const std::string layer = name.substr(0, name.rfind('.'));
        int number = 0;
        const char* const end = layer.data() + layer.size();
        const auto [stopped, failure] = std::from_chars(layer.data() + prefix.size(), end, number);
        if (failure == std::errc() && stopped == end)
            counted.emplace(number, layer);
    }
    std::vector<std::string> tail;
    for (auto& [number, layer] : counted)
        tail.push_back(std::move(layer));
    return tail;
}

UpscalerLayout denseLayout(const NetworkTensors& tensors) {
    UpscalerLayout layout{.kind = UpscalerKind::Dense,
                          .width = upscalerExtent(tensors, "conv_first.weight", 0),
                          .growth = upscalerExtent(tensors, "body.0.rdb1.conv1.weight", 0),
                          .tail = tailOf(tensors)};
    while (tensors.has(fmt::format("body.{}.rdb1.conv1.weight", layout.blocks)))
        ++layout.blocks;
    const std::int64_t ins = upscalerExtent(tensors, "conv_first.weight", 1);
    layout.folded = ins % pictureChannels == 0 ? wholeRoot(ins / pictureChannels) : 0;
    const std::int64_t enlarged = std::int64_t{1}
                                  << std::clamp<std::int64_t>(layout.doublings(), 0, mostDoublings);
    if (layout.folded < 1 || layout.doublings() < 0 || layout.doublings() > mostDoublings ||
        enlarged % layout.folded != 0)
        tensors.refuse(sentence("its ends do not fit each other: {} channels go in, and {} convolutions are "
                                "behind the blocks",
                                ins, layout.tail.size()),
                       knownUpscalers());
    layout.scale = enlarged / layout.folded;
    return layout;
}

/// Convolutions have even numbers; an activation with a slope for each channel is between two of them.
UpscalerLayout compactLayout(const NetworkTensors& tensors) {
    std::int64_t last = 0;
    while (tensors.has(fmt::format("body.{}.weight", last + 2)))
        last += 2;
    UpscalerLayout layout{.kind = UpscalerKind::Compact,
                          .width = upscalerExtent(tensors, "body.0.weight", 0),
                          .blocks = last / 2 - 1};
    for (std::int64_t index = 1; index < last; index += 2)
        if (!tensors.has(fmt::format("body.{}.weight", index)))
            tensors.refuse(
                sentence("the file does not say which activation the network has"),
                sentence("Use a network with PReLU, as realesr-general and realesr-animevideo have"));
    layout.scale =
        wholeRoot(upscalerExtent(tensors, fmt::format("body.{}.weight", last), 0) / pictureChannels);
    if (layout.scale < 1 || layout.blocks < 0)
        tensors.refuse(sentence("its last convolution makes no squares of colours"), knownUpscalers());
    return layout;
}

/// Every layer that the layout has: what is left over would change the result.
bool isRead(const UpscalerLayout& layout, std::string_view name) {
    const std::size_t end = name.rfind('.');
    const std::string_view layer = name.substr(0, end == std::string_view::npos ? 0 : end);
    if (layout.kind == UpscalerKind::Compact)
        return layer.starts_with("body.") && layer.find('.', 5) == std::string_view::npos;
    if (layer == "conv_first" || layer == "conv_body")
        return true;
    if (std::ranges::find(layout.tail, layer) != layout.tail.end())
        return true;
    constexpr std::array<std::string_view, 5> convolutions{"conv1", "conv2", "conv3", "conv4", "conv5"};
    const std::size_t last = layer.rfind('.');
    return layer.starts_with("body.") && last != std::string_view::npos &&
           std::ranges::find(convolutions, layer.substr(last + 1)) != convolutions.end();
}

}  // namespace

std::string UpscalerLayout::title() const {
    return fmt::format("{} x{} ({} blocks, {} wide)",
                       kind == UpscalerKind::Dense ? "ESRGAN" : "Real-ESRGAN compact", scale, blocks, width);
}

std::int64_t UpscalerLayout::doublings() const {
    return static_cast<std::int64_t>(tail.size()) - 2;
}

double UpscalerLayout::operations(std::int64_t height, std::int64_t pictureWidth) const {
    constexpr double taps = 9.0;
    const double pixels = real(height * pictureWidth) / real(folded * folded);
    const auto multiplied = [](double of, std::int64_t ins, std::int64_t outs) {
        return 2.0 * of * taps * real(ins) * real(outs);
    };
    if (kind == UpscalerKind::Compact)
        return multiplied(pixels, pictureChannels, width) + real(blocks) * multiplied(pixels, width, width) +
               multiplied(pixels, width, pictureChannels * scale * scale);
    double block = 0.0;
    for (std::int64_t index = 0; index < 5; ++index)
        block += multiplied(pixels, width + index * growth, index < 4 ? growth : width);
    double total = multiplied(pixels, pictureChannels * folded * folded, width) + 3.0 * real(blocks) * block +
                   multiplied(pixels, width, width);
    double large = pixels;
    for (std::int64_t index = 0; index < doublings(); ++index) {
        large *= 4.0;
        total += multiplied(large, width, width) * 4.0 / taps;  // 2×2 pixels are seen through the enlargement
    }
    return total + multiplied(large, width, width) + multiplied(large, width, pictureChannels);
}

std::int64_t UpscalerLayout::workBytes(std::int64_t height, std::int64_t pictureWidth) const {
    const std::int64_t pixels = ceilDivide(height, folded) * ceilDivide(pictureWidth, folded);
    const std::int64_t ends = height * pictureWidth * pictureChannels * (1 + 2 * scale * scale);
    std::int64_t numbers = pixels * (2 * width + pictureChannels * scale * scale);
    if (kind == UpscalerKind::Dense) {
        const std::int64_t large = pixels << (2 * doublings());
        numbers = std::max(pixels * (2 * width + 2 * (width + 4 * growth)), 2 * large * width);
    }
    return static_cast<std::int64_t>(sizeof(float)) * (numbers + ends);
}

NetworkTensors openUpscaler(const std::filesystem::path& file) {
    return NetworkTensors::open(file, upscalerName);
}

bool looksLikeUpscaler(const NetworkTensors& tensors) {
    return isDense(tensors) || isCompact(tensors);
}

UpscalerLayout upscalerLayout(const NetworkTensors& tensors) {
    if (!looksLikeUpscaler(tensors))
        tensors.refuse(sentence("this is no network of a kind that Meshreel enlarges pictures with"),
                       knownUpscalers());
    UpscalerLayout layout = isDense(tensors) ? denseLayout(tensors) : compactLayout(tensors);
    for (const std::string& name : tensors.names())
        if (!isRead(layout, name))
            tensors.refuse(sentence("the network has a layer that Meshreel does not compute ('{}')", name),
                           knownUpscalers());
    return layout;
}

}  // namespace meshreel
