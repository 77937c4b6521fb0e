// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/sound/sound_frames.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace meshreel {

Tensor heardStates(const Tensor& states, double rate) {
    const std::int64_t count = states.extent(0);
    const std::int64_t width = states.extent(1);
    const auto heard = static_cast<std::int64_t>(static_cast<double>(count) / rate * heardStatesPerSecond);
    const double step = heard > 1 ? static_cast<double>(count - 1) / static_cast<double>(heard - 1) : 0.0;
    Tensor result = Tensor::empty({heard, width});
    const auto from = states.data<float>();
    const auto to = result.data<float>();
    for (std::int64_t state = 0; state < heard; ++state) {
        const double place = static_cast<double>(state) * step;
        const std::int64_t before = std::min(static_cast<std::int64_t>(place), count - 1);
        const std::int64_t behind = std::min(before + 1, count - 1);
        const auto part = static_cast<float>(place - static_cast<double>(before));
        for (std::int64_t channel = 0; channel < width; ++channel)
            to[static_cast<std::size_t>(state * width + channel)] =
                (1.0F - part) * from[static_cast<std::size_t>(before * width + channel)] +
                part * from[static_cast<std::size_t>(behind * width + channel)];
    }
    return result;
}

std::vector<std::int64_t> statesOfFrames(std::int64_t count, double fps, std::int64_t frames,
                                         std::int64_t lead) {
    std::vector<std::int64_t> places;
    for (std::int64_t frame = 0; frame < frames; ++frame) {
        const auto shown = static_cast<double>(std::max<std::int64_t>(0, frame - lead));
        // nearbyint: halves go to the even neighbour, as numpy's round.
        const auto place = static_cast<std::int64_t>(std::nearbyint(shown / fps * heardStatesPerSecond));
        places.push_back(place < count ? place : -1);
    }
    return places;
}

void putHeard(const Tensor& heard, std::span<const std::int64_t> places, std::int64_t layer, Tensor& sound) {
    const std::int64_t width = sound.extent(2);
    const std::int64_t frames = std::ssize(places);
    const auto from = heard.data<float>();
    const auto to = sound.data<float>().subspan(static_cast<std::size_t>(layer * width * frames),
                                                static_cast<std::size_t>(width * frames));
    for (std::int64_t channel = 0; channel < width; ++channel)
        for (std::int64_t frame = 0; frame < frames; ++frame) {
            const std::int64_t place = places[static_cast<std::size_t>(frame)];
            to[static_cast<std::size_t>(channel * frames + frame)] =
                place < 0 ? 0.0F : from[static_cast<std::size_t>(place * width + channel)];
        }
}

}  // namespace meshreel
