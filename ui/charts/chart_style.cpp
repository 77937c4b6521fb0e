// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"

#include <QAbstractAxis>
#include <QChart>
#include <QGraphicsLayout>
#include <QLegend>
#include <QPalette>
#include <array>

#include "ui/charts/fitted_legend.h"
#include "ui/charts/hollow_marks.h"
#include "ui/charts/name_axis.h"

namespace meshreel {

namespace {

constexpr float gridOpacity = 0.14F;
constexpr float fillOpacity = 0.25F;
constexpr double textSize = 9;  ///< points

constexpr std::array<QRgb, ChartStyle::seriesColors> seriesPalette{0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                                   0xe69f00, 0x56b4e9, 0x7f7f7f};

/// How often the colours were used up before this series.
std::size_t roundOf(int index) {
    return static_cast<std::size_t>(index) / seriesPalette.size();
}

QColor withOpacity(QColor color, float opacity) {
    color.setAlphaF(opacity);
    return color;
}

ChartStyle styleOf(const QColor& ground, const QColor& text) {
    const bool dark = ground.lightness() < text.lightness();
    const QColor line = dark ? QColor(0x5c, 0xc8, 0xd7) : QColor(0x0b, 0x6e, 0x8a);
    const QColor reference = dark ? QColor(0xff, 0xb4, 0x54) : QColor(0xb4, 0x5f, 0x06);
    return {ground, text, withOpacity(text, gridOpacity), line, withOpacity(line, fillOpacity), reference};
}

}  // namespace

ChartStyle ChartStyle::of(const QPalette& palette) {
    return styleOf(palette.color(QPalette::Base), palette.color(QPalette::Text));
}

ChartStyle ChartStyle::print() {
    return styleOf(Qt::white, QColor(0x20, 0x20, 0x20));
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
    return {series(index), width, styles.at(roundOf(index) % styles.size())};
}

QBrush ChartStyle::seriesBrush(int index) {
    static constexpr std::array patterns{Qt::SolidPattern, Qt::BDiagPattern, Qt::DiagCrossPattern,
                                         Qt::FDiagPattern, Qt::VerPattern};
    return {series(index), patterns.at(roundOf(index) % patterns.size())};
}

void ChartStyle::applyTo(QChart& chart) const {
    const QFont font = ChartStyle::font();
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

}  // namespace meshreel
