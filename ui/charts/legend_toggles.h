// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QList>
#include <QObject>
#include <QPen>
#include <map>

class QBarSet;
class QChart;
class QLegendMarker;

namespace meshreel {

/// Lets a reader hide what the legend of a chart names: by a click on the entry, which is then paler and
/// struck through, or by whoever asks toggle().
class LegendToggles : public QObject {
    Q_OBJECT

  public:
    /// The chart has its series by now and outlives this object.
    LegendToggles(QChart& chart, QObject* parent);
    ~LegendToggles() override;

    /// The entries that stand for something that can be hidden.
    [[nodiscard]] QList<QLegendMarker*> entries() const;
    [[nodiscard]] bool isShown(QLegendMarker* entry) const { return !m_hidden.contains(entry); }
    void toggle(QLegendMarker* entry);

  private:
    /// What an entry looked like, and what its bars measured, before it was hidden.
    struct Hidden {
        QBrush brush;
        QPen pen;
        QList<qreal> bars;
    };

    void dim(QLegendMarker* entry, const Hidden& look) const;
    void hide(QLegendMarker* entry);
    void show(QLegendMarker* entry);
    void restoreLook(QLegendMarker* entry, const Hidden& look) const;
    /// A series that the chart itself shows again is hidden no more.
    void follow(QLegendMarker* entry);

    QChart& m_chart;
    std::map<QLegendMarker*, Hidden> m_hidden;
};

}  // namespace meshreel
