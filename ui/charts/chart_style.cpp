// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"

#include <QAbstractAxis>
#include <QAbstractSeries>
#include <QAreaSeries>
#include <QBarSet>
#include <QBrush>
#include <QChart>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLocale>
#include <QPalette>
#include <QXYSeries>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_legend.h"

namespace meshreel {

namespace {

constexpr float gridOpacity = 0.14F;
constexpr float fillOpacity = 0.25F;
constexpr double textSize = 9;  ///< points

constexpr std::array<QRgb, ChartStyle::seriesColors> seriesPalette{0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                                   0xe69f00, 0x56b4e9, 0x7f7f7f};

/// How often the colours were used up before this series.
std::size_t wrapRound(int index) {
    return static_cast<std::size_t>(index) / seriesPalette.size();
}

QColor withOpacity(QColor color, float opacity) {
    color.setAlphaF(opacity);
    return color;
}

ChartStyle chooseStyle(const QColor& ground, const QColor& text) {
    const bool dark = ground.lightness() < text.lightness();
    const QColor line = dark ? QColor(0x5c, 0xc8, 0xd7) : QColor(0x0b, 0x6e, 0x8a);
    const QColor reference = dark ? QColor(0xff, 0xb4, 0x54) : QColor(0xb4, 0x5f, 0x06);
    return {ground, text, withOpacity(text, gridOpacity), line, withOpacity(line, fillOpacity), reference};
}

}  // namespace

ChartStyle ChartStyle::of(const QPalette& palette) {
    return chooseStyle(palette.color(QPalette::Base), palette.color(QPalette::Text));
}

ChartStyle ChartStyle::print() {
    return chooseStyle(Qt::white, QColor(0x20, 0x20, 0x20));
}

QFont ChartStyle::font() {
    QFont font;
    font.setPointSizeF(textSize);
    return font;
}

QColor ChartStyle::guide() {
    return {0x80, 0x80, 0x80};
}

QColor ChartStyle::series(int index) {
    return QColor::fromRgb(seriesPalette.at(static_cast<std::size_t>(index) % seriesPalette.size()));
}

QPen ChartStyle::seriesPen(int index, double width) {
    static constexpr std::array styles{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine,
                                       Qt::DashDotDotLine};
    return {series(index), width, styles.at(wrapRound(index) % styles.size())};
}

void ChartStyle::fillBars(QBarSet& bars, int index) {
    static constexpr std::array patterns{Qt::SolidPattern, Qt::BDiagPattern, Qt::DiagCrossPattern,
                                         Qt::FDiagPattern, Qt::VerPattern};
    const Qt::BrushStyle pattern = patterns.at(wrapRound(index) % patterns.size());
    bars.setBrush(QBrush(series(index), pattern));
    bars.setPen(pattern == Qt::SolidPattern ? QPen(Qt::NoPen) : QPen(series(index)));
}

void ChartStyle::applyTo(QChart& chart) const {
    const QFont font = ChartStyle::font();
    chart.setLocalizeNumbers(true);
    chart.setBackgroundBrush(ground);
    chart.setBackgroundRoundness(0);
    chart.setMargins(QMargins());
    chart.layout()->setContentsMargins(0, 0, 0, 0);
    chart.legend()->setAlignment(Qt::AlignTop);
    chart.legend()->setLabelColor(text);
    chart.legend()->setFont(font);
    const QList<QAbstractSeries*> all = chart.series();
    for (QAbstractSeries* series : all)
        if (auto* marks = qobject_cast<HollowMarks*>(series))
            marks->setColor(ground);
    chart.setTitleFont(font);
    chart.setTitleBrush(text);
    const QList<QAbstractAxis*> axes = chart.axes();
    for (QAbstractAxis* axis : axes) {
        axis->setLabelsFont(font);
        axis->setTitleFont(font);
        axis->setLabelsColor(text);
        axis->setTitleBrush(text);
        axis->setLinePenColor(grid);
        axis->setGridLineColor(grid);
        if (auto* names = qobject_cast<NameAxis*>(axis))
            names->fit();
    }
    if (auto* legend = chart.findChild<FittedLegend*>(QString(), Qt::FindDirectChildrenOnly))
        legend->fit();
}

void leaveOutOfLegend(QAbstractSeries& series) {
    const QList<QLegendMarker*> markers = series.chart()->legend()->markers(&series);
    for (QLegendMarker* marker : markers)
        marker->setVisible(false);
}

void setShown(QAbstractSeries& series, bool shown) {
    series.setVisible(shown);
    leaveOutOfLegend(series);
}

void showWith(QAbstractSeries& series, std::initializer_list<QAbstractSeries*> others) {
    leaveOutOfLegend(series);
    const std::vector<QAbstractSeries*> leaders(others);
    for (QAbstractSeries* leader : leaders)
        QObject::connect(leader, &QAbstractSeries::visibleChanged, &series, [&series, leaders] {
            setShown(series, std::ranges::all_of(leaders, &QAbstractSeries::isVisible));
        });
}

QString threeDigits(double value) {
    const double size = std::abs(value);
    const int before = size > 0 ? static_cast<int>(std::floor(std::log10(size))) : 0;
    constexpr int most = 9;  // decimals
    return QLocale().toString(value, 'f', std::clamp(2 - before, 0, most));
}

namespace {

QString titleOf(QAbstractSeries& series, Qt::Orientation orientation) {
    const QList<QAbstractAxis*> axes = series.attachedAxes();
    const auto found = std::ranges::find(axes, orientation, &QAbstractAxis::orientation);
    return found == axes.end() ? QString() : (*found)->titleText();
}

QString titled(const QString& title, double value) {
    return QStringLiteral("%1: %2").arg(title, QLocale().toString(value, 'g', significantDigits));
}

}  // namespace

QString pointWords(QAbstractSeries& series, const QPointF& point) {
    return QStringLiteral("%1\n%2\n%3")
        .arg(series.name(), titled(titleOf(series, Qt::Horizontal), point.x()),
             titled(titleOf(series, Qt::Vertical), point.y()));
}

std::optional<ChartValue> nearestPoint(QChart& chart, const QPointF& position) {
    std::optional<ChartValue> nearest;
    double distance = pointingReach;
    const QList<QAbstractSeries*> all = chart.series();
    for (QAbstractSeries* series : all) {
        auto* line = qobject_cast<QXYSeries*>(series);
        if (line == nullptr || !line->isVisible() || line->attachedAxes().isEmpty())
            continue;
        const QList<QPointF> points = line->points();
        for (const QPointF& point : points) {
            const QPointF at = chart.mapToPosition(point, series);
            const double away = QLineF(at, position).length();
            if (away >= distance || !chart.plotArea().contains(at))
                continue;
            distance = away;
            nearest = {at, point, pointWords(*series, point)};
        }
    }
    return nearest;
}

QList<QPointF> pointPlaces(QChart& chart) {
    QList<QPointF> places;
    const QList<QAbstractSeries*> all = chart.series();
    for (QAbstractSeries* series : all) {
        if (!series->isVisible() || series->attachedAxes().isEmpty())
            continue;
        const auto* area = qobject_cast<QAreaSeries*>(series);
        const auto* line = area == nullptr ? qobject_cast<QXYSeries*>(series) : area->upperSeries();
        const QList<QPointF> points = line == nullptr ? QList<QPointF>() : line->points();
        for (const QPointF& point : points)
            if (const QPointF at = chart.mapToPosition(point, series); chart.plotArea().contains(at))
                places.append(at);
    }
    return places;
}

std::optional<ChartValue> ReadableChart::valueNear(const QPointF& position) {
    return nearestPoint(*this, position);
}

}  // namespace meshreel

#include "moc_chart_style.cpp"
