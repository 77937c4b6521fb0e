// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/palette.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace meshreel {
namespace {

constexpr int paletteChannels = 3;
constexpr int cellBits = 6;
constexpr int cellShift = 8 - cellBits;
constexpr std::size_t cellCount = std::size_t{1} << (paletteChannels * cellBits);
constexpr int maxByte = 255;

// Ordered dither, Bayer 4x4, spread over about two levels of a 6-bit histogram: enough to break bands, hardly
// visible.
constexpr int bayerSize = 4;
constexpr std::array<std::array<int, bayerSize>, bayerSize> bayer{
    {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}}};
constexpr int bayerLevels = bayerSize * bayerSize;
constexpr int ditherAmplitude = 6;  // 8-bit levels from the darkest to the lightest pixel of the pattern

struct Cell {
    std::array<std::uint64_t, paletteChannels> sum{};
    std::uint64_t count = 0;

    [[nodiscard]] double mean(int channel) const {
        return static_cast<double>(sum[static_cast<std::size_t>(channel)]) / static_cast<double>(count);
    }
};

std::size_t cellOf(int red, int green, int blue) {
    const auto part = [](int value) { return static_cast<std::size_t>(value >> cellShift); };
    return (((part(red) << cellBits) | part(green)) << cellBits) | part(blue);
}

std::vector<Cell> occupiedCells(const std::vector<std::span<const std::uint8_t>>& parts) {
    std::vector<Cell> cells(cellCount);
    for (const std::span<const std::uint8_t> rgb : parts)
        for (std::size_t i = 0; i + 2 < rgb.size(); i += paletteChannels) {
            Cell& cell = cells[cellOf(rgb[i], rgb[i + 1], rgb[i + 2])];
            ++cell.count;
            for (std::size_t c = 0; c < paletteChannels; ++c)
                cell.sum[c] += rgb[i + c];
        }
    std::erase_if(cells, [](const Cell& cell) { return cell.count == 0; });
    return cells;
}

/// Cells that share one palette entry, and along which channel to cut them next.
struct Box {
    std::span<Cell> cells;
    int channel = 0;
    double mean = 0.0;
    double spread = 0.0;  // sum of squared distances to the mean along `channel`

    explicit Box(std::span<Cell> members) : cells(members) {
        for (int c = 0; c < paletteChannels; ++c) {
            double weight = 0.0;
            double sum = 0.0;
            double squares = 0.0;
            for (const Cell& cell : cells) {
                const auto count = static_cast<double>(cell.count);
                weight += count;
                sum += count * cell.mean(c);
                squares += count * cell.mean(c) * cell.mean(c);
            }
            const double variance = squares - sum * sum / weight;
            if (variance > spread) {
                channel = c;
                mean = sum / weight;
                spread = variance;
            }
        }
    }

    [[nodiscard]] bool divisible() const { return cells.size() > 1; }

    [[nodiscard]] Rgb colour() const {
        std::array<std::uint8_t, paletteChannels> parts{};
        for (std::size_t c = 0; c < paletteChannels; ++c) {
            std::uint64_t sum = 0;
            std::uint64_t count = 0;
            for (const Cell& cell : cells) {
                sum += cell.sum[c];
                count += cell.count;
            }
            parts[c] = static_cast<std::uint8_t>((sum + count / 2) / count);
        }
        return {parts[0], parts[1], parts[2]};
    }

    /// Both halves hold at least one cell.
    [[nodiscard]] std::array<Box, 2> cut() const {
        const auto middle = std::stable_partition(
            cells.begin(), cells.end(), [this](const Cell& cell) { return cell.mean(channel) <= mean; });
        const auto below =
            std::clamp<std::size_t>(static_cast<std::size_t>(middle - cells.begin()), 1, cells.size() - 1);
        return {Box(cells.first(below)), Box(cells.subspan(below))};
    }
};

}  // namespace

std::vector<Rgb> makePalette(const std::vector<std::span<const std::uint8_t>>& parts) {
    std::vector<Cell> cells = occupiedCells(parts);
    if (cells.empty())
        return {Rgb{}};
    std::vector<Box> boxes{Box(cells)};
    while (boxes.size() < maxPaletteColours) {
        const auto widest = std::ranges::max_element(
            boxes, {}, [](const Box& box) { return box.divisible() ? box.spread : -1.0; });
        if (!widest->divisible())
            break;
        const std::array<Box, 2> halves = widest->cut();
        *widest = halves[0];
        boxes.push_back(halves[1]);
    }
    std::vector<Rgb> palette;
    std::ranges::transform(boxes, std::back_inserter(palette), &Box::colour);
    return palette;
}

PaletteMapper::PaletteMapper(std::vector<Rgb> palette)
    : m_palette(std::move(palette)), m_nearest(cellCount, -1) {}

std::uint8_t PaletteMapper::nearest(int red, int green, int blue) {
    std::int16_t& known = m_nearest[cellOf(red, green, blue)];
    if (known >= 0)
        return static_cast<std::uint8_t>(known);
    // The cell's centre stands for all of it, so that the answer does not depend on which pixel asks first.
    constexpr int centre = 1 << (cellShift - 1);
    const auto middle = [](int value) { return ((value >> cellShift) << cellShift) + centre; };
    int best = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < m_palette.size(); ++i) {
        const int r = middle(red) - m_palette[i].red;
        const int g = middle(green) - m_palette[i].green;
        const int b = middle(blue) - m_palette[i].blue;
        const int distance = r * r + g * g + b * b;
        if (distance < best) {
            best = distance;
            known = static_cast<std::int16_t>(i);
        }
    }
    return static_cast<std::uint8_t>(known);
}

void PaletteMapper::map(std::span<const std::uint8_t> rgb, int width, std::uint8_t* indices,
                        std::ptrdiff_t stride) {
    const auto rowPixels = static_cast<std::size_t>(width);
    const std::size_t rows = rgb.size() / (rowPixels * paletteChannels);
    for (std::size_t y = 0; y < rows; ++y) {
        const std::uint8_t* pixel = rgb.data() + y * rowPixels * paletteChannels;
        std::uint8_t* row = indices + static_cast<std::ptrdiff_t>(y) * stride;
        for (std::size_t x = 0; x < rowPixels; ++x, pixel += paletteChannels) {
            const int threshold = bayer[y % bayerSize][x % bayerSize];
            const int offset = (2 * threshold - (bayerLevels - 1)) * ditherAmplitude / (2 * bayerLevels);
            const auto shifted = [offset](std::uint8_t value) {
                return std::clamp(value + offset, 0, maxByte);
            };
            row[x] = nearest(shifted(pixel[0]), shifted(pixel[1]), shifted(pixel[2]));
        }
    }
}

}  // namespace meshreel
