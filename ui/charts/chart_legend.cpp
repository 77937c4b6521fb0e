// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_legend.h"

#include <QBarLegendMarker>
#include <QBarSet>
#include <QChart>
#include <QFontMetricsF>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLegendMarker>
#include <QScopedValueRollback>
#include <QVariant>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_axes.h"

namespace meshreel {

namespace {

constexpr double mostAbove = 0.15;   ///< of the chart's height
constexpr double mostBeside = 0.33;  ///< of the chart's width
constexpr double leastLetters = 7;   ///< of a shortened name
constexpr int besideGap = 8;         ///< pixels between the chart and the legend to its right

// How Qt Charts lays out an entry, in pixels.
constexpr double entryMargin = 3;  ///< above, below and between entries
constexpr double labelMargin = 1;  ///< on both sides of a label
constexpr double widthSlack = 3;   ///< what an entry takes beyond its size hint, with rounding
constexpr double rowSlack = 1;     ///< so that rounding does not end a column early

constexpr const char* wholeProperty = "meshreelWholeLabel";

QMarginsF contentMargins(const QLegend& legend) {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
    legend.layout()->getContentsMargins(&left, &top, &right, &bottom);
    return {left, top, right, bottom};
}

}  // namespace

FittedLegend::FittedLegend(QChart& chart) : QObject(&chart), m_chart(chart) {
    const QList<QLegendMarker*> markers = chart.legend()->markers();
    for (QLegendMarker* marker : markers)
        marker->setProperty(wholeProperty, marker->label());
    connect(&chart, &QGraphicsWidget::geometryChanged, this, &FittedLegend::fit);
    fit();
}

FittedLegend::Entries FittedLegend::entries() const {
    Entries shown = m_chart.legend()->markers();
    shown.removeIf([](const QLegendMarker* marker) { return !marker->isVisible(); });
    return shown;
}

void FittedLegend::fit() {
    const Entries shown = entries();
    if (m_fitting || shown.isEmpty() || m_chart.size().isEmpty())
        return;
    const QScopedValueRollback guard(m_fitting, true);
    arrange(shown);
    m_chart.legend()->layout()->activate();
    m_chart.layout()->activate();
}

double FittedLegend::rowHeight() const {
    return QFontMetricsF(m_chart.legend()->font()).height() + labelMargin + 2 * entryMargin + rowSlack;
}

// Qt Charts only reports the width of the largest entry, including hidden ones.
double FittedLegend::markerRoom() const {
    const QLegend& legend = *m_chart.legend();
    const QFontMetricsF letters(legend.font());
    const QMarginsF margins = contentMargins(legend);
    double longest = 0;
    const Entries all = legend.markers();
    for (const QLegendMarker* entry : all)
        longest = std::max(longest, letters.horizontalAdvance(entry->label()));
    return legend.effectiveSizeHint(Qt::PreferredSize).width() - margins.left() - margins.right() - longest +
           widthSlack;
}

void FittedLegend::shorten(const Entries& entries, double room) const {
    QStringList names;
    for (const QLegendMarker* entry : entries)
        names += wholeLabel(*entry);
    const QStringList shortened = shortenedNames(names, QFontMetricsF(m_chart.legend()->font()), room);
    for (qsizetype index = 0; index < entries.size(); ++index) {
        const QString label =
            shortened[index].toHtmlEscaped();  // Qt Charts would read mark-up, and open pictures
        if (entries[index]->label() != label)
            entries[index]->setLabel(label);
    }
    m_chart.legend()->layout()->invalidate();
}

double FittedLegend::widthOf(const Entries& entries, int rows) const {
    const QFontMetricsF letters(m_chart.legend()->font());
    const double besideLabel = markerRoom();
    double width = 0;
    for (qsizetype first = 0; first < entries.size(); first += rows) {
        double column = 0;
        for (qsizetype index = first; index < std::min(first + rows, entries.size()); ++index)
            column = std::max(column, letters.horizontalAdvance(entries[index]->label()));
        width += std::ceil(column) + besideLabel;
    }
    const QMarginsF margins = contentMargins(*m_chart.legend());
    return width + margins.left() + margins.right();
}

void FittedLegend::arrange(const Entries& entries) {
    m_chart.legend()->setAlignment(Qt::AlignLeft);  // markers have one width then
    shorten(entries, usualNameRoom(QFontMetricsF(m_chart.legend()->font())));
    const QSizeF room = m_chart.size();
    const double inARow = widthOf(entries, 1) + static_cast<double>(entries.size()) * entryMargin;
    if (inARow <= room.width())
        return showInARow();
    const auto mostRows = static_cast<int>(mostAbove * room.height() / rowHeight());
    for (int rows = 2; rows <= mostRows; ++rows)
        if (const double width = widthOf(entries, rows); width <= room.width())
            return showAbove(rows, width);
    showBeside(entries);
}

void FittedLegend::showInARow() {
    QLegend& legend = *m_chart.legend();
    legend.setAlignment(Qt::AlignTop);
    if (!legend.isAttachedToChart())
        legend.attachToChart();
    m_chart.setMargins(QMargins());
}

void FittedLegend::showAbove(int rows, double width) {
    const QMarginsF margins = contentMargins(*m_chart.legend());
    const double height = std::ceil(rows * rowHeight() + 2 * margins.bottom());
    showColumns(QRectF((m_chart.size().width() - width) / 2, 0, width, height),
                QMargins(0, static_cast<int>(height), 0, 0));
}

void FittedLegend::showBeside(const Entries& entries) {
    const QFontMetricsF letters(m_chart.legend()->font());
    const QMarginsF margins = contentMargins(*m_chart.legend());
    const QSizeF room = m_chart.size();
    const auto most = std::max(1, static_cast<int>((room.height() - 2 * margins.bottom()) / rowHeight()));
    const auto count = static_cast<int>(entries.size());
    const int columns = (count + most - 1) / most;
    const int rows = (count + columns - 1) / columns;
    const double least = leastLetters * letters.averageCharWidth();
    shorten(entries, std::clamp(mostBeside * room.width() / columns - markerRoom(), least,
                                std::max(least, usualNameRoom(letters))));
    const double width = widthOf(entries, rows);
    const double height = std::ceil(rows * rowHeight() + 2 * margins.bottom());
    showColumns(QRectF(room.width() - width, 0, width, height),
                QMargins(0, 0, static_cast<int>(std::ceil(width)) + besideGap, 0));
}

// A legend that is not attached goes down a column as far as its area reaches, then begins the next one.
void FittedLegend::showColumns(const QRectF& area, const QMargins& margins) {
    QLegend& legend = *m_chart.legend();
    legend.setAlignment(Qt::AlignLeft);
    if (legend.isAttachedToChart())
        legend.detachFromChart();
    legend.setGeometry(area);
    m_chart.setMargins(margins);
}

QString wholeLabel(const QLegendMarker& entry) {
    const QVariant whole = entry.property(wholeProperty);
    return whole.isValid() ? whole.toString() : entry.label();
}

namespace {

constexpr float hiddenOpacity = 0.35F;

QBrush paler(QBrush brush) {
    QColor color = brush.color();
    color.setAlphaF(color.alphaF() * hiddenOpacity);
    brush.setColor(color);
    return brush;
}

QBarSet* findBars(QLegendMarker* entry) {
    auto* bars = qobject_cast<QBarLegendMarker*>(entry);
    return bars == nullptr ? nullptr : bars->barset();
}

}  // namespace

LegendToggles::LegendToggles(QChart& chart, QObject* parent) : QObject(parent), m_chart(chart) {
    const QList<QLegendMarker*> markers = chart.legend()->markers();
    for (QLegendMarker* entry : markers) {
        if (entry->series()->attachedAxes().isEmpty())
            continue;  // it is a key to colours
        connect(entry, &QLegendMarker::clicked, this, [this, entry] { toggle(entry); });
        connect(entry->series(), &QAbstractSeries::visibleChanged, this, [this, entry] { follow(entry); });
    }
    const auto dimAgain = [this] {
        for (const auto& [entry, look] : m_hidden)
            dim(entry, look);
    };
    connect(chart.legend(), &QLegend::labelColorChanged, this, dimAgain);
    connect(chart.legend(), &QLegend::fontChanged, this, dimAgain);
}

LegendToggles::~LegendToggles() = default;

QList<QLegendMarker*> LegendToggles::entries() const {
    QList<QLegendMarker*> entries;
    const QList<QLegendMarker*> markers = m_chart.legend()->markers();
    for (QLegendMarker* entry : markers)
        if (entry->isVisible() && !entry->series()->attachedAxes().isEmpty())
            entries.append(entry);
    return entries;
}

void LegendToggles::toggle(QLegendMarker* entry) {
    if (isShown(entry))
        hide(entry);
    else
        show(entry);
}

void LegendToggles::hide(QLegendMarker* entry) {
    Hidden& hidden = m_hidden.emplace(entry, Hidden{entry->brush(), entry->pen(), {}}).first->second;
    if (QBarSet* bars = findBars(entry)) {
        for (int index = 0; index < bars->count(); ++index) {
            hidden.bars.append(bars->at(index));
            bars->replace(index, 0);
        }
    } else {
        entry->series()->setVisible(false);
        entry->setVisible(true);
    }
    dim(entry, hidden);
}

void LegendToggles::dim(QLegendMarker* entry, const Hidden& look) const {
    QFont font = m_chart.legend()->font();
    font.setStrikeOut(true);
    QPen pen = look.pen;
    pen.setBrush(paler(pen.brush()));
    entry->setFont(font);
    entry->setLabelBrush(paler(m_chart.legend()->labelColor()));
    entry->setBrush(paler(look.brush));
    entry->setPen(pen);
}

void LegendToggles::show(QLegendMarker* entry) {
    const Hidden hidden = m_hidden.extract(entry).mapped();
    if (QBarSet* bars = findBars(entry))
        for (int index = 0; index < bars->count(); ++index)
            bars->replace(index, hidden.bars.at(index));
    else
        entry->series()->setVisible(true);
    restoreLook(entry, hidden);
}

void LegendToggles::follow(QLegendMarker* entry) {
    if (!entry->series()->isVisible() || isShown(entry))
        return;
    restoreLook(entry, m_hidden.extract(entry).mapped());
}

void LegendToggles::restoreLook(QLegendMarker* entry, const Hidden& look) const {
    entry->setFont(m_chart.legend()->font());
    entry->setLabelBrush(m_chart.legend()->labelColor());
    entry->setBrush(look.brush);
    entry->setPen(look.pen);
}

}  // namespace meshreel

#include "moc_chart_legend.cpp"
