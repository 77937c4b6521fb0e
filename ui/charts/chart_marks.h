// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QList>
#include <QPen>
#include <QPointF>
#include <QRectF>
#include <QScatterSeries>
#include <QString>
#include <span>
#include <vector>

#include "engine/timing/step_record.h"

class QBarSeries;
class QBarSet;
class QChart;
class QHorizontalStackedBarSeries;
class QXYSeries;

namespace meshreel {

/// Outlines around the bars of a set, which may be longer or shorter than these: a length a category.
struct BarOutline {
    QPen pen;
    std::vector<double> lengths;
};

/// The outlines of a series of bars beside each other, one for each of its sets, drawn over them. Those of a
/// set that the legend has hidden are hidden as well.
class BarOutlines : public QGraphicsItem {
  public:
    /// The chart, to which this belongs, has the series on its axes by now.
    BarOutlines(QChart* chart, QBarSeries* bars, std::vector<BarOutline> outlines);

    /// 0 while it is hidden.
    [[nodiscard]] double lengthFor(int set, int category) const;

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    [[nodiscard]] bool isHidden(int set) const;

    QChart* m_chart;
    QBarSeries* m_bars;
    std::vector<BarOutline> m_outlines;
    std::vector<bool> m_hasBars;  ///< sets with anything to hide
    QRectF m_area;
};

/// How far values spread about a point of a line.
struct ErrorBar {
    double place = 0;  ///< on the horizontal axis
    double low = 0;
    double high = 0;
};

/// The error bars of a line, drawn as it is and shown while it is, within the plot area of the chart that
/// they belong to.
class ErrorBars : public QGraphicsItem {
  public:
    ErrorBars(QChart* chart, QXYSeries* line, std::vector<ErrorBar> bars);

    [[nodiscard]] const std::vector<ErrorBar>& bars() const { return m_bars; }
    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    QChart* m_chart;
    QXYSeries* m_line;
    std::vector<ErrorBar> m_bars;
    QRectF m_area;
};

/// Adds hollow marks for the steps of a line that met cold caches; shown while the line is, on its axes and
/// in its colour. `round` distinguishes lines that share a colour. The chart, which must have the line, owns
/// the mark.
QScatterSeries* addColdMark(QChart& chart, QXYSeries& line, std::size_t round = 0);

/// Returns the places of these marks in a chart of seconds per step. `resumedFrom` as for coldSteps().
QList<QPointF> coldPoints(std::span<const StepRecord> steps, std::span<const int> resumedFrom);

/// Something that happened between two steps of a line.
struct StepMark {
    double place = 0;  ///< on the horizontal axis
    QString words;
    QXYSeries* line = nullptr;  ///< the mark is shown while this is
};

/// Returns a mark wherever a run continues with another expert, between the two steps, counted from 1.
std::vector<StepMark> expertSwitches(std::span<const StepRecord> steps, QXYSeries& line);

/// Dashed lines with words over the plot area of the chart that they belong to. Lines at one place are one,
/// in the colour of the text if they belong to several series.
class StepMarks : public QGraphicsItem {
  public:
    explicit StepMarks(QChart* chart);

    void setMarks(std::vector<StepMark> marks);
    [[nodiscard]] const std::vector<StepMark>& marks() const { return m_marks; }

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    QChart* m_chart;
    QRectF m_area;
    std::vector<StepMark> m_marks;  ///< by rising place
};

/// How far past the longest bar an axis reaches that leaves room for totals.
inline constexpr double totalsRoom = 1.12;

/// The sum of what is shown of each lying bar, written at its end, over the plot area of the chart that it
/// belongs to. Segments that the legend has hidden do not count.
class BarTotals : public QGraphicsItem {
  public:
    /// The chart has the series on its axes by now.
    BarTotals(QChart& chart, QHorizontalStackedBarSeries& bars);

    /// Total of the bar of a category, from below.
    [[nodiscard]] double totalFor(int category) const;

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    QChart& m_chart;
    QHorizontalStackedBarSeries& m_bars;
    QRectF m_area;
};

}  // namespace meshreel
