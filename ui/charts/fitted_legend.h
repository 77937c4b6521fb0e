// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QMargins>
#include <QObject>
#include <QRectF>

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
    /// What an entry takes besides its label.
    [[nodiscard]] double markerRoom() const;
    void shorten(const Entries& entries, double room) const;
    /// Of the entries in so many rows, column by column.
    [[nodiscard]] double widthOf(const Entries& entries, int rows) const;
    void arrange(const Entries& entries);
    void showInARow();
    void showAbove(int rows, double width);
    void showBeside(const Entries& entries);
    void showColumns(const QRectF& area, const QMargins& margins);

    QChart& m_chart;
    bool m_fitting = false;
};

/// What an entry of a legend names, whole where a FittedLegend shortened it.
QString wholeLabel(const QLegendMarker& entry);

}  // namespace meshreel
