// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBarCategoryAxis>
#include <QStringList>

class QChart;
class QFontMetricsF;

namespace meshreel {

/// Pixels that a name in a chart may take where there is room for all: those of about 24 letters.
double usualNameRoom(const QFontMetricsF& letters);

/// The names within so many pixels each. What has no room is left out of their middle; where different names
/// would look the same then, at one end, or at both what they have in common; and where that does not tell
/// them apart either, they are numbered.
QStringList shortenedNames(const QStringList& names, const QFontMetricsF& letters, double room);

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
