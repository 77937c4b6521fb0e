// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBarCategoryAxis>
#include <QStringList>

class QChart;

namespace meshreel {

/// The names of lying bars. Long ones are shortened, and all are written in smaller letters where the bars
/// are thin; where even those have no room, some are left out.
class NameAxis : public QBarCategoryAxis {
    Q_OBJECT

  public:
    /// Different names, from below. The chart owns the axis.
    NameAxis(QStringList names, QChart* chart);

    /// The whole name of a bar, from below.
    [[nodiscard]] QString nameAt(int index) const { return m_names.value(index); }

    /// Again, as the chart has other letters.
    void fit();

  private:
    QStringList m_names;
    QChart& m_chart;
    bool m_fitting = false;
};

/// The whole name of a bar or group of bars.
QString categoryName(QBarCategoryAxis& axis, int index);

}  // namespace meshreel
