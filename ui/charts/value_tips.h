// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

#include "ui/charts/chart_style.h"

class QBarSet;
class QChartView;
class QHelpEvent;
class QPainter;

namespace meshreel {

/// Tells the value of a view's chart that is pointed at: in a tip beside it, and by a ring around it.
class ValueTip : public QObject {
    Q_OBJECT

  public:
    /// The view's child.
    explicit ValueTip(QChartView* view);

    /// Forgets what was pointed at, for a chart that the view has just taken.
    void beginChart();
    /// `position` is in the chart's coordinates.
    void pointAt(const QPointF& position);
    /// Shows the value to the right of the current one, or the one to its left.
    void tellNext();
    void tellPrevious();
    void hide() { tell(std::nullopt); }
    [[nodiscard]] const std::optional<ChartValue>& value() const { return m_value; }

    /// The ring, in the scene of the chart.
    void paint(QPainter& painter) const;

  signals:
    /// Empty when the tip has gone.
    void told(const QString& words);

  private:
    enum class Direction { Back, Forward };

    void step(Direction direction);
    void stepOverPlaces(ReadableChart& chart, Direction direction);
    void stepOverBars(Direction direction);
    void tell(std::optional<ChartValue> value);
    void tellBar(bool entered, int index, QBarSet* bars);

    QChartView& m_view;
    std::optional<ChartValue> m_value;
    std::optional<QPointF> m_place;  ///< where it is shown, in the chart's coordinates
};

/// Shows the name of the category under the pointer beside the axis of a bar chart, where names without room
/// are shortened. Belongs to the view.
class CategoryTips : public QObject {
    Q_OBJECT

  public:
    explicit CategoryTips(QChartView& view);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    [[nodiscard]] QString categoryAt(const QPoint& place) const;

    QChartView& m_view;
};

}  // namespace meshreel
