// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/alpha.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "engine/media/frame_source.h"
#include "engine/media/image.h"

namespace meshreel {
namespace {

constexpr std::size_t alphaChannels = 4;

constexpr std::uint8_t opaque = 255;

std::uint8_t onWhite(unsigned colour, unsigned alpha) {
    return static_cast<std::uint8_t>((colour * alpha + opaque * (opaque - alpha) + opaque / 2) / opaque);
}

/// What a channel ranges over.
struct ChannelRange {
    int least = opaque;
    int most = 0;

    void take(int value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    [[nodiscard]] int width() const { return std::max(most - least, 0); }
};

std::unique_ptr<FrameSource> openWith(const std::filesystem::path& media, AlphaUse use) {
    std::unique_ptr<FrameSource> source = openFrameSource(media);
    source->useAlpha(use);
    return source;
}

}  // namespace

bool readAlpha(std::span<const std::uint8_t> rgba, AlphaUse use, std::span<std::uint8_t> rgb) {
    bool transparent = false;
    const std::uint8_t* from = rgba.data();
    for (std::size_t at = 0; at < rgb.size(); at += rgbChannels, from += alphaChannels) {
        const std::uint8_t alpha = from[rgbChannels];
        transparent = transparent || alpha != opaque;
        for (std::size_t colour = 0; colour < rgbChannels; ++colour)
            rgb[at + colour] = use == AlphaUse::AsGrey                       ? alpha
                               : use == AlphaUse::Dropped || alpha == opaque ? from[colour]
                                                                             : onWhite(from[colour], alpha);
    }
    return transparent;
}

void unmultiplyAlpha(std::span<std::uint8_t> rgba) {
    for (std::size_t pixel = 0; pixel + alphaChannels <= rgba.size(); pixel += alphaChannels) {
        const unsigned alpha = rgba[pixel + rgbChannels];
        for (std::size_t at = pixel; at < pixel + rgbChannels && alpha > 0; ++at)
            rgba[at] = static_cast<std::uint8_t>(
                std::min<unsigned>(opaque, (rgba[at] * unsigned{opaque} + alpha / 2) / alpha));
    }
}

bool hasShapeInAlpha(const std::filesystem::path& media) {
    // Lossy codecs change colours, most of all beside the edge of a shape.
    constexpr int visible = 64;    // alpha from which on a colour is looked at
    constexpr int oneColour = 16;  // levels that it may range over
    constexpr int varies = 64;     // levels that alpha ranges over
    const std::unique_ptr<FrameSource> colours = openWith(media, AlphaUse::Dropped);
    if (!colours->info().mayHaveAlpha)
        return false;
    const std::unique_ptr<FrameSource> alphas = openWith(media, AlphaUse::AsGrey);
    const auto bytes = static_cast<std::size_t>(colours->info().height) *
                       static_cast<std::size_t>(colours->info().width) * rgbChannels;
    std::vector<std::uint8_t> colour(bytes);
    std::vector<std::uint8_t> alpha(bytes);
    std::array<ChannelRange, rgbChannels> ranges;
    ChannelRange opacity;
    while (colours->read(colour) && alphas->read(alpha)) {
        for (std::size_t at = 0; at < bytes; at += rgbChannels) {
            opacity.take(alpha[at]);
            for (std::size_t channel = 0; channel < rgbChannels && alpha[at] >= visible; ++channel)
                ranges[channel].take(colour[at + channel]);
        }
        if (std::ranges::any_of(ranges, [](const ChannelRange& range) { return range.width() > oneColour; }))
            return false;
    }
    return opacity.width() > varies;
}

}  // namespace meshreel
