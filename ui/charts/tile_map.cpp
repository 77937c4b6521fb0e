// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/tile_map.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

namespace meshreel {

namespace {

constexpr double millisecondsPerSecond = 1e3;

template <typename Size>
std::vector<Size> sizesOf(const std::vector<TileTime>& tiles, Size TileTime::*size) {
    std::vector<Size> sizes;
    std::ranges::transform(tiles, std::back_inserter(sizes), size);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());  // clang 14 knows no ranges::unique
    return sizes;
}

int placeOf(std::int64_t size, const std::vector<std::int64_t>& sizes) {
    return static_cast<int>(std::ranges::lower_bound(sizes, size) - sizes.begin());
}

}  // namespace

std::span<const QColor> tileShades() {
    static const std::array shades{QColor(0xfd, 0xe7, 0x25), QColor(0x5e, 0xc9, 0x62),
                                   QColor(0x21, 0x91, 0x8c), QColor(0x3b, 0x52, 0x8b),
                                   QColor(0x44, 0x01, 0x54)};
    return shades;
}

TileMap::TileMap(const std::vector<TileTime>& tiles)
    : m_columns(sizesOf(tiles, &TileTime::blockQ)), m_rows(sizesOf(tiles, &TileTime::blockKv)) {
    const auto [fastest, slowest] = std::ranges::minmax(tiles, {}, &TileTime::seconds);
    m_fastest = fastest.seconds;
    m_span = (slowest.seconds - fastest.seconds) / static_cast<double>(tileShades().size());
    for (const TileTime& tile : tiles)
        m_cells.push_back({.tile = tile,
                           .column = placeOf(tile.blockQ, m_columns),
                           .row = placeOf(tile.blockKv, m_rows),
                           .shade = tileShades()[shadeOf(tile.seconds)],
                           .isFastest = tile.seconds <= m_fastest});
}

const TileMap::Cell* TileMap::at(int column, int row) const {
    const auto found = std::ranges::find_if(
        m_cells, [&](const Cell& cell) { return cell.column == column && cell.row == row; });
    return found == m_cells.end() ? nullptr : &*found;
}

std::size_t TileMap::shadeOf(double seconds) const {
    if (m_span <= 0)
        return 0;
    return std::min(tileShades().size() - 1, static_cast<std::size_t>((seconds - m_fastest) / m_span));
}

std::vector<TileMap::Shade> TileMap::shades() const {
    std::vector<Shade> shades;
    for (const QColor& color : tileShades()) {
        const double end = m_fastest + static_cast<double>(shades.size() + 1) * m_span;
        shades.push_back({color, QCoreApplication::translate("RunCharts", "≤ %1").arg(withUnit(end))});
        if (m_span <= 0)
            break;
    }
    return shades;
}

QString TileMap::number(double seconds) const {
    const double value = isInSeconds() ? seconds : seconds * millisecondsPerSecond;
    return QString::number(value, 'f', value < 10 ? 2 : 1);
}

QString TileMap::withUnit(double seconds) const {
    return (isInSeconds() ? QCoreApplication::translate("RunCharts", "%1 s", "seconds")
                          : QCoreApplication::translate("RunCharts", "%1 ms", "milliseconds"))
        .arg(number(seconds));
}

}  // namespace meshreel
