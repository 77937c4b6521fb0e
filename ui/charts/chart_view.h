// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChartView>
#include <QPointer>
#include <memory>
#include <optional>

#include "ui/charts/chart_style.h"

class QAction;
class QMenu;
class QRubberBand;

namespace meshreel {

class ChartZoom;
class LegendToggles;
class ScaledAxis;
class ValueTip;
class ZoomedChart;

/// A chart to explore. The wheel zooms at the pointer (vertically with Ctrl or Shift), dragging moves,
/// dragging with Shift held zooms to the marked area, a double click shows everything again; so do +, -, the
/// arrows and Home or 0, and Ctrl with + and - vertically. Pointing shows values, and comma and full stop
/// step through them; a click or Enter marks a place, a click on the legend or the menu hides and shows.
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
    /// Shows what is to the right of it, or above, by that share of what is shown.
    void move(double right, double up);
    void showEverything();

    /// Switches the value axis; disabled where the chart has none that may be logarithmic.
    [[nodiscard]] QAction* logarithmic() const { return m_logarithmic; }
    [[nodiscard]] LegendToggles* legend() const { return m_legend; }
    /// Returns what is pointed at.
    [[nodiscard]] const std::optional<ChartValue>& pointedAt() const;

    /// Puts it into the clipboard as a picture, as it is shown.
    void copy() const;
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
    /// Null when the chart has none that may be logarithmic.
    [[nodiscard]] ScaledAxis* scaledAxis() const;
    void describe(const QString& value);
    void followScale();
    void refreshLogarithmic();
    void makeLogarithmic(bool logarithmic);
    [[nodiscard]] bool canZoom() const;
    [[nodiscard]] QPointF chartPosition(const QPointF& position) const;
    /// Returns how far along the plot area, from its left and from its bottom.
    [[nodiscard]] QPointF shareOf(const QPointF& position) const;
    void drag(const QPointF& to);
    [[nodiscard]] bool zoomUpright(int key);
    [[nodiscard]] bool takeKey(int key);
    [[nodiscard]] bool takeValueKey(int key);
    /// Marks the place of the value that is shown; none if no value is.
    void markValue();
    void drawMark(QPainter& painter, double place) const;

    ChartZoom* m_own;               ///< for charts that share none
    QPointer<ChartZoom> m_zoom;     ///< the one at work
    ZoomedChart* m_part = nullptr;  ///< null before the first chart
    ValueTip* m_tip;
    LegendToggles* m_legend = nullptr;  ///< null before the first chart
    QAction* m_logarithmic;
    bool m_readersChoice = false;  ///< logarithmic, whatever chart comes; else as the chart begins
    QRubberBand* m_band;
    std::optional<QPointF> m_grabbed;  ///< where the pointer dragging the chart was
    std::optional<QPointF> m_pressed;  ///< where a click or a drag began
    bool m_focusByKey = false;
};

}  // namespace meshreel
