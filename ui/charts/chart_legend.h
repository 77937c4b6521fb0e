// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QList>
#include <QMargins>
#include <QObject>
#include <QPen>
#include <QRectF>
#include <map>

class QBarSet;
class QChart;
class QLegendMarker;

namespace meshreel {

/// Finds room for the legend of a chart that may have many entries with long names: a row above the chart,
/// several where the chart is high, or columns to the right of it. Long names are shortened.
class FittedLegend : public QObject {
    Q_OBJECT

  public:
    /// The chart, which owns this, has its series by now.
    explicit FittedLegend(QChart& chart);

    /// Again, as the chart has other letters.
    void fit();

  private:
    using Entries = QList<QLegendMarker*>;

    [[nodiscard]] Entries entries() const;
    [[nodiscard]] double rowHeight() const;
    /// Returns what an entry takes besides its label.
    [[nodiscard]] double markerRoom() const;
    void shorten(const Entries& entries, double room) const;
    /// Returns the width of the entries in `rows` rows, filled column by column.
    [[nodiscard]] double widthOf(const Entries& entries, int rows) const;
    void arrange(const Entries& entries);
    void showInARow();
    void showAbove(int rows, double width);
    void showBeside(const Entries& entries);
    void showColumns(const QRectF& area, const QMargins& margins);

    QChart& m_chart;
    bool m_fitting = false;
};

/// Returns what an entry of a legend names, whole where a FittedLegend shortened it.
QString wholeLabel(const QLegendMarker& entry);

/// Lets a reader hide what the legend of a chart names: by a click on the entry, which is then paler and
/// struck through, or through toggle().
class LegendToggles : public QObject {
    Q_OBJECT

  public:
    /// The chart has its series by now and outlives this object.
    LegendToggles(QChart& chart, QObject* parent);
    ~LegendToggles() override;

    /// Returns the entries of things that can be hidden.
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
