// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/legend_toggles.h"

#include <QBarLegendMarker>
#include <QBarSet>
#include <QChart>
#include <QLegend>

namespace meshreel {

namespace {

constexpr float hiddenOpacity = 0.35F;

QBrush paler(QBrush brush) {
    QColor color = brush.color();
    color.setAlphaF(color.alphaF() * hiddenOpacity);
    brush.setColor(color);
    return brush;
}

QBarSet* barsOf(QLegendMarker* entry) {
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
    if (QBarSet* bars = barsOf(entry)) {
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
    if (QBarSet* bars = barsOf(entry))
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
