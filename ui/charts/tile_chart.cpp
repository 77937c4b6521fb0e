// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/tile_chart.h"

#include <QCategoryAxis>
#include <QChart>
#include <QCoreApplication>
#include <QFont>
#include <QGraphicsItem>
#include <QLocale>
#include <QPainter>
#include <QScatterSeries>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/units.h"
#include "engine/runs/records/data_table.h"
#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

template <typename Size>
std::vector<Size> sizesOf(const std::vector<TileTime>& tiles, Size TileTime::*size) {
    std::vector<Size> sizes;
    std::ranges::transform(tiles, std::back_inserter(sizes), size);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());  // clang 14 knows no ranges::unique
    return sizes;
}

/// Where a box plot ends its upper whisker: the third quartile and 1.5 times the distance to the first
/// (Tukey). Of few times the slowest.
double farthestOf(const std::vector<TileTime>& tiles) {
    constexpr std::size_t enough = 4;
    constexpr double whisker = 1.5;
    std::vector<double> seconds;
    for (const TileTime& tile : tiles)
        seconds.push_back(tile.seconds);
    std::ranges::sort(seconds);
    if (seconds.size() < enough)
        return seconds.back();
    const double first = seconds[seconds.size() / 4];
    const double third = seconds[seconds.size() - 1 - seconds.size() / 4];
    const double end = third + whisker * (third - first);
    return end > seconds.front() ? end : seconds.back();
}

int placeOf(std::int64_t size, const std::vector<std::int64_t>& sizes) {
    return static_cast<int>(std::ranges::lower_bound(sizes, size) - sizes.begin());
}

TileNames usualNames() {
    return {.across = QStringLiteral("block_q"),
            .up = QStringLiteral("block_kv"),
            .own = QCoreApplication::translate("RunCharts", " (the project's own)"),
            .columns = {},
            .rows = {}};
}

QStringList namesOf(const std::vector<std::int64_t>& sizes, const QStringList& names) {
    QStringList labels;
    for (const std::int64_t size : sizes)
        labels += names.isEmpty() ? QString::number(size) : names.at(static_cast<qsizetype>(size));
    return labels;
}

}  // namespace

std::span<const QColor> tileShades() {
    static const std::array shades{QColor(0xfd, 0xe7, 0x25), QColor(0x5e, 0xc9, 0x62),
                                   QColor(0x21, 0x91, 0x8c), QColor(0x3b, 0x52, 0x8b),
                                   QColor(0x44, 0x01, 0x54)};
    return shades;
}

TileMap::TileMap(const std::vector<TileTime>& tiles, const TileNotes& notes)
    : m_columns(sizesOf(tiles, &TileTime::blockQ)),
      m_rows(sizesOf(tiles, &TileTime::blockKv)),
      m_names(notes.names.value_or(usualNames())) {
    const auto [fastest, slowest] = std::ranges::minmax(tiles, {}, &TileTime::seconds);
    m_fastest = fastest.seconds;
    m_slowest = slowest.seconds;
    m_span = (std::min(m_slowest, farthestOf(tiles)) - m_fastest) / static_cast<double>(tileShades().size());
    for (const TileTime& tile : tiles) {
        const TileNotes::Pair pair{tile.blockQ, tile.blockKv};
        const auto deviation = notes.deviations.find(pair);
        m_cells.push_back({.tile = tile,
                           .column = placeOf(tile.blockQ, m_columns),
                           .row = placeOf(tile.blockKv, m_rows),
                           .shade = tileShades()[shadeIndex(tile.seconds)],
                           .isFastest = tile.seconds <= m_fastest,
                           .isOwn = notes.own == pair,
                           .deviation = deviation == notes.deviations.end() ? 0 : deviation->second});
    }
}

QStringList TileMap::columns() const {
    return namesOf(m_columns, m_names.columns);
}

QStringList TileMap::rows() const {
    return namesOf(m_rows, m_names.rows);
}

const TileMap::Cell* TileMap::at(int column, int row) const {
    const auto found = std::ranges::find_if(
        m_cells, [&](const Cell& cell) { return cell.column == column && cell.row == row; });
    return found == m_cells.end() ? nullptr : &*found;
}

std::size_t TileMap::shadeIndex(double seconds) const {
    if (m_span <= 0)
        return 0;
    return std::min(tileShades().size() - 1, static_cast<std::size_t>((seconds - m_fastest) / m_span));
}

std::vector<TileMap::Shade> TileMap::shades() const {
    std::vector<Shade> shades;
    for (const QColor& color : tileShades()) {
        const bool isLast = shades.size() + 1 == tileShades().size();
        const double end = isLast ? m_slowest : m_fastest + static_cast<double>(shades.size() + 1) * m_span;
        shades.push_back({color, QCoreApplication::translate("RunCharts", "≤ %1").arg(withUnit(end))});
        if (m_span <= 0)
            break;
    }
    return shades;
}

QString TileMap::number(double seconds) const {
    const double value = isInSeconds() ? seconds : seconds * millisecondsPerSecond;
    return QLocale().toString(value, 'f', value < 10 ? 2 : 1);
}

QString TileMap::withUnit(double seconds) const {
    return (isInSeconds() ? QCoreApplication::translate("RunCharts", "%1 s", "seconds")
                          : QCoreApplication::translate("RunCharts", "%1 ms", "milliseconds"))
        .arg(number(seconds));
}

/// The cells of a map over the plot area of the chart that they belong to, as far as its axes show them: the
/// places of columns and rows lie between whole numbers from 0 on.
class TileCells : public QGraphicsItem {
  public:
    /// Is the chart's child; the chart must have the axes, too.
    TileCells(TileMap map, const QCategoryAxis& across, const QCategoryAxis& up, QChart* chart);

    void setMap(const TileMap& map);
    [[nodiscard]] const TileMap& map() const { return m_map; }
    /// So much of a cell as is shown, in the chart's coordinates.
    [[nodiscard]] QRectF shownArea(const TileMap::Cell& cell) const;

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    [[nodiscard]] QRectF placeOf(const TileMap::Cell& cell) const;
    void paintCell(QPainter& painter, const TileMap::Cell& cell, QFont font) const;

    TileMap m_map;
    const QCategoryAxis& m_across;
    const QCategoryAxis& m_up;
    QRectF m_area;
};

namespace {

constexpr double cellGap = 2;           ///< pixels between cells
constexpr double wordsSize = 8.5;       ///< points
constexpr double leastWordsWidth = 38;  ///< of a cell that shows its time, pixels
constexpr double leastWordsHeight = 16;
constexpr double bestPenWidth = 2.5;
constexpr int brightFrom = 128;  ///< lightness that black words stand on

}  // namespace

TileCells::TileCells(TileMap map, const QCategoryAxis& across, const QCategoryAxis& up, QChart* chart)
    : QGraphicsItem(chart), m_map(std::move(map)), m_across(across), m_up(up), m_area(chart->plotArea()) {
    QObject::connect(chart, &QChart::plotAreaChanged, chart, [this](const QRectF& area) {
        prepareGeometryChange();
        m_area = area;
    });
    for (const QCategoryAxis* axis : {&across, &up})
        QObject::connect(axis, &QValueAxis::rangeChanged, chart, [this] { update(); });
}

void TileCells::setMap(const TileMap& map) {
    m_map = map;
    update();
}

QRectF TileCells::placeOf(const TileMap::Cell& cell) const {
    const double width = m_area.width() / (m_across.max() - m_across.min());
    const double height = m_area.height() / (m_up.max() - m_up.min());
    return QRectF(m_area.left() + (cell.column - m_across.min()) * width,
                  m_area.bottom() - (cell.row + 1 - m_up.min()) * height, width, height)
        .adjusted(cellGap, cellGap, -cellGap, -cellGap);
}

QRectF TileCells::shownArea(const TileMap::Cell& cell) const {
    return placeOf(cell).intersected(m_area);
}

void TileCells::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) {
    QFont font;
    font.setPointSizeF(wordsSize);
    painter->setClipRect(m_area);
    for (const TileMap::Cell& cell : m_map.cells())
        paintCell(*painter, cell, font);
}

void TileCells::paintCell(QPainter& painter, const TileMap::Cell& cell, QFont font) const {
    const QRectF shown = shownArea(cell);
    if (shown.isEmpty())
        return;
    const QColor words = cell.shade.lightness() > brightFrom ? Qt::black : Qt::white;
    painter.fillRect(shown, cell.shade);
    if (cell.isFastest) {
        painter.setPen(QPen(words, bestPenWidth));
        painter.drawRect(placeOf(cell).adjusted(cellGap, cellGap, -cellGap, -cellGap));
    }
    if (cell.isOwn) {
        painter.setPen(QPen(words, bestPenWidth, Qt::DotLine));
        const double inset = cell.isFastest ? 2 * bestPenWidth + cellGap : cellGap;
        painter.drawRect(placeOf(cell).adjusted(inset, inset, -inset, -inset));
    }
    if (shown.width() < leastWordsWidth || shown.height() < leastWordsHeight)
        return;
    font.setBold(cell.isFastest);
    painter.setFont(font);
    painter.setPen(words);
    QString text = m_map.number(cell.tile.seconds);
    if (cell.deviation > 0)
        text += QStringLiteral("\n±%1").arg(m_map.number(cell.deviation));
    const bool fits = painter.boundingRect(shown, Qt::AlignCenter, text).height() <= shown.height();
    painter.drawText(shown, Qt::AlignCenter, fits ? text : m_map.number(cell.tile.seconds));
}

namespace {

constexpr double ringRoom = 8;  ///< pixels between a cell's edge and the ring that says it is pointed at

/// A place for each name, the first between 0 and 1.
void showNamesOn(QCategoryAxis& axis, const QString& title, const QStringList& labels) {
    axis.setTitleText(title);
    if (labels == axis.categoriesLabels())
        return;
    const QStringList former = axis.categoriesLabels();
    for (const QString& label : former)
        axis.remove(label);
    for (int place = 0; const QString& label : labels)
        axis.append(label, ++place);
    axis.setRange(0, static_cast<double>(labels.size()));
}

}  // namespace

TileChart::TileChart(const std::vector<TileTime>& tiles, const TileNotes& notes)
    : m_across(new QCategoryAxis(this)), m_up(new QCategoryAxis(this)) {
    addAxis(m_across, Qt::AlignBottom);
    addAxis(m_up, Qt::AlignLeft);
    m_cells = new TileCells(TileMap(tiles, notes), *m_across, *m_up, this);
    showSizes();
    showLegend();
    ChartStyle::print().applyTo(*this);
    for (QAbstractAxis* axis : {m_across, m_up})
        axis->setGridLineVisible(false);
}

const TileMap& TileChart::map() const {
    return m_cells->map();
}

void TileChart::setTiles(const std::vector<TileTime>& tiles, const TileNotes& notes) {
    m_cells->setMap(TileMap(tiles, notes));
    showSizes();
    showLegend();
}

void TileChart::showSizes() {
    showNamesOn(*m_across, map().names().across, map().columns());
    showNamesOn(*m_up, map().names().up, map().rows());
}

// Series without points: they give the legend its entries.
void TileChart::showLegend() {
    const std::vector<TileMap::Shade> shades = map().shades();
    if (series().size() != static_cast<qsizetype>(shades.size())) {
        removeAllSeries();
        for (const TileMap::Shade& shade : shades) {
            auto* entry = new QScatterSeries(this);
            entry->setMarkerShape(QScatterSeries::MarkerShapeRectangle);
            entry->setColor(shade.color);
            entry->setBorderColor(Qt::transparent);
            addSeries(entry);
        }
    }
    for (int index = 0; const TileMap::Shade& shade : shades)
        series().at(index++)->setName(shade.words);
}

std::optional<ChartValue> TileChart::valueNear(const QPointF& position) {
    const QRectF plot = plotArea();
    if (!plot.contains(position))
        return std::nullopt;
    const double across = (position.x() - plot.left()) / plot.width();
    const double up = (plot.bottom() - position.y()) / plot.height();
    const auto placeAt = [](const QCategoryAxis& axis, double share) {
        return static_cast<int>(std::floor(axis.min() + share * (axis.max() - axis.min())));
    };
    const TileMap::Cell* cell = map().at(placeAt(*m_across, across), placeAt(*m_up, up));
    if (cell == nullptr)
        return std::nullopt;
    const QRectF shown = m_cells->shownArea(*cell);
    QString more;
    if (cell->deviation > 0)
        more += QCoreApplication::translate("RunCharts", ", standard deviation %1")
                    .arg(map().withUnit(cell->deviation));
    if (cell->isOwn)
        more += map().names().own;
    return ChartValue{
        .position = {shown.center().x(), shown.bottom() - ringRoom},
        .point = {cell->column + categoryMiddle, cell->row + categoryMiddle},
        .words = QStringLiteral("%1 %2 · %3 %4: %5")
                     .arg(map().names().across, map().columns().at(cell->column), map().names().up,
                          map().rows().at(cell->row), map().withUnit(cell->tile.seconds)) +
                 more};
}

QList<QPointF> TileChart::valuePlaces() {
    QList<QPointF> places;
    for (const TileMap::Cell& cell : map().cells())
        if (const QRectF shown = m_cells->shownArea(cell); !shown.isEmpty())
            places.append(shown.center());
    return places;
}

ChartSheet tileSheet(const std::vector<RunRecord>& runs) {
    return makeTileSheet(tileTimes(runs));
}

ChartSheet makeTileSheet(const std::vector<TileTime>& tiles, const TileNotes& notes) {
    DataTable numbers{.columns = {"block_q", "block_kv", "seconds"}, .rows = {}};
    if (notes.names)
        numbers.columns = {notes.names->across.toStdString(), notes.names->up.toStdString(), "seconds"};
    const auto cell = [](std::int64_t size, const QStringList* names) {
        return names == nullptr ? DataCell(size)
                                : DataCell(names->at(static_cast<qsizetype>(size)).toStdString());
    };
    for (const TileTime& tile : tiles)
        numbers.rows.push_back({cell(tile.blockQ, notes.names ? &notes.names->columns : nullptr),
                                cell(tile.blockKv, notes.names ? &notes.names->rows : nullptr),
                                DataCell(tile.seconds)});
    return {.draw = [tiles, notes]() -> std::unique_ptr<QChart> {
                return std::make_unique<TileChart>(tiles, notes);
            },
            .numbers = std::move(numbers)};
}

}  // namespace meshreel

#include "moc_tile_chart.cpp"
