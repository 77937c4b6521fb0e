// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChartView>
#include <QPointer>
#include <memory>
#include <optional>

#include "ui/charts/readable_chart.h"

class QAction;
class QBarSet;
class QMenu;
class QRubberBand;

namespace meshreel {

class ChartZoom;
class LegendToggles;
class ZoomedAxis;

/// A chart to be looked into. The wheel zooms about the pointer (with Ctrl or Shift upright), dragging moves,
/// dragging with Shift held zooms to what it marks, a double click shows everything again; so do +, -, the
/// arrows and Home or 0. Pointing tells values, a click marks a place, a click on the legend hides and shows.
class ChartView : public QChartView {
    Q_OBJECT

  public:
    explicit ChartView(QWidget* parent = nullptr);
    ~ChartView() override;

    /// Shows the chart in the colours of the window; the former one is deleted. Views that were given the
    /// same zoom, which outlives them, show the same part; without one the chart is shown whole.
    void draw(std::unique_ptr<QChart> chart, ChartZoom* shared = nullptr);

    /// Makes what is shown so many times as long.
    void zoom(double factor);
    /// Shows what lies to the right of it, or above, by that share of what is shown.
    void move(double right, double up);
    void showEverything();

    /// Switches the value axis; disabled where the chart has none that may be logarithmic.
    [[nodiscard]] QAction* logarithmic() const { return m_logarithmic; }
    [[nodiscard]] LegendToggles* legend() const { return m_legend; }
    /// What is pointed at.
    [[nodiscard]] const std::optional<ChartValue>& pointedAt() const { return m_value; }

    /// What to hide and show and how to look at it.
    void fill(QMenu& menu);

  protected:
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

  private:
    void followAxes();
    void followUpright();
    void followBars();
    void showPart();
    void refreshLogarithmic();
    void makeLogarithmic(bool logarithmic);
    [[nodiscard]] QPointF chartPosition(const QPointF& position) const;
    /// How far along the plot area, from its left and from its bottom.
    [[nodiscard]] QPointF shareOf(const QPointF& position) const;
    void zoomAcross(double factor, double share);
    void zoomUpright(double factor, double share);
    void drag(const QPointF& to);
    void pointAt(const QPointF& position);
    void tellBar(bool entered, int index, QBarSet* bars);
    void tell(std::optional<ChartValue> value);

    ChartZoom* m_own;            ///< for charts that share none
    QPointer<ChartZoom> m_zoom;  ///< the one at work
    ZoomedAxis* m_across;        ///< null where the axis is of categories
    ZoomedAxis* m_upright;       ///< likewise
    LegendToggles* m_legend;     ///< null before the first chart
    QAction* m_logarithmic;
    QRubberBand* m_band;
    std::optional<QPointF> m_grabbed;  ///< where the pointer dragging the chart was
    std::optional<QPointF> m_pressed;  ///< where a click or a drag began
    std::optional<ChartValue> m_value;
    bool m_focusByKey = false;
};

}  // namespace meshreel
