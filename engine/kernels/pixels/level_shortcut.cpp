// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/pixels/level_shortcut.h"

#include <algorithm>
#include <span>

#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

struct PixelPlace {
    std::int64_t frame;
    std::int64_t row;
    std::int64_t column;
};

std::int64_t indexOf(const Tensor& features, const PixelPlace& at) {
    return (at.frame * features.extent(1) + at.row) * features.extent(2) + at.column;
}

/// change(place, read, pixel) for every pixel of `sum`: `pixel` holds it as f32 and is stored afterwards,
/// `read` is memory for `readValues` source values.
template <typename Change>
void changePixels(const OnHost& on, Tensor& sum, std::size_t readValues, Change change) {
    const std::int64_t height = sum.extent(1);
    const MatrixSpan pixels(sum);
    on.execution.workers.parallelFor(sum.extent(0) * height, [&](std::int64_t begin, std::int64_t end) {
        ScratchVector<float> read(readValues);
        ScratchVector<float> pixel(static_cast<std::size_t>(sum.extent(3)));
        for (std::int64_t row = begin; row < end; ++row)
            for (std::int64_t column = 0; column < sum.extent(2); ++column) {
                const PixelPlace at{row / height, row % height, column};
                static_cast<MatrixView>(pixels).readRow(indexOf(sum, at), pixel);
                change(at, std::span(read), std::span(pixel));
                pixels.writeRow(indexOf(sum, at), pixel);
            }
    });
}

}  // namespace

AveragingShortcut::AveragingShortcut(const LevelChange& change)
    : m_change(change),
      m_group(static_cast<std::size_t>(change.inChannels * change.pixels() / change.outChannels)) {
    for (std::int64_t channel = 0; channel < change.inChannels; ++channel)
        for (std::int64_t part = 0; part < change.pixels(); ++part)
            m_members.push_back(static_cast<std::size_t>(part * change.inChannels + channel));
}

void AveragingShortcut::addTo(const Execution& execution, const Tensor& source, Tensor& sum) const {
    dispatch(execution, {MatrixView(source), MatrixView(sum)},
             [&](const auto& on) { addOn(on, source, sum); });
}

void AveragingShortcut::addOn(const OnHost& on, const Tensor& source, Tensor& sum) const {
    const MatrixView pixels(source);
    const std::int64_t space = m_change.space;
    const std::int64_t missing = sum.extent(0) * m_change.time - source.extent(0);
    const auto channels = static_cast<std::size_t>(m_change.inChannels);
    const auto average = [&](const PixelPlace& at, std::span<float> read, std::span<float> pixel) {
        for (std::int64_t part = 0; part < m_change.pixels(); ++part) {
            const PixelPlace from{at.frame * m_change.time + part / (space * space) - missing,
                                  at.row * space + part / space % space, at.column * space + part % space};
            const std::span<float> to = read.subspan(static_cast<std::size_t>(part) * channels, channels);
            if (from.frame < 0)
                std::ranges::fill(to, 0.0F);
            else
                pixels.readRow(indexOf(source, from), to);
        }
        auto member = m_members.begin();
        for (float& value : pixel) {
            float total = 0.0F;
            for (std::size_t count = 0; count < m_group; ++count)
                total += read[*member++];
            value += total / static_cast<float>(m_group);
        }
    };
    changePixels(on, sum, m_members.size(), average);
}

RepeatingShortcut::RepeatingShortcut(const LevelChange& change) : m_change(change) {
    const std::int64_t repeats = change.outChannels * change.pixels() / change.inChannels;
    m_sources.resize(static_cast<std::size_t>(change.pixels()));
    for (std::int64_t channel = 0; channel < change.outChannels; ++channel)
        for (std::int64_t part = 0; part < change.pixels(); ++part)
            m_sources[static_cast<std::size_t>(part)].push_back(
                static_cast<std::size_t>((channel * change.pixels() + part) / repeats));
}

void RepeatingShortcut::addTo(const Execution& execution, const Tensor& source, Tensor& sum) const {
    dispatch(execution, {MatrixView(source), MatrixView(sum)},
             [&](const auto& on) { addOn(on, source, sum); });
}

void RepeatingShortcut::addOn(const OnHost& on, const Tensor& source, Tensor& sum) const {
    const MatrixView pixels(source);
    const std::int64_t time = m_change.time;
    const std::int64_t space = m_change.space;
    const std::int64_t dropped = source.extent(0) * time - sum.extent(0);
    const auto repeat = [&](const PixelPlace& at, std::span<float> read, std::span<float> pixel) {
        const std::int64_t frame = at.frame + dropped;
        pixels.readRow(indexOf(source, {frame / time, at.row / space, at.column / space}), read);
        const std::int64_t part = (frame % time * space + at.row % space) * space + at.column % space;
        const std::vector<std::size_t>& sources = m_sources[static_cast<std::size_t>(part)];
        for (std::size_t channel = 0; channel < pixel.size(); ++channel)
            pixel[channel] += read[sources[channel]];
    };
    changePixels(on, sum, static_cast<std::size_t>(m_change.inChannels), repeat);
}

}  // namespace meshreel
