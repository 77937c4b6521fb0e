// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QWidget>
#include <cstdint>
#include <functional>
#include <vector>

#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// What this process used at a moment.
struct ActivitySample {
    double seconds = 0;       ///< since the run began
    double busyCpus = 0;      ///< on average since the previous sample
    std::uint64_t bytes = 0;  ///< in memory, without pages of files
};

/// The use of this process over a run. When there are too many samples for a picture, every second one goes.
class ActivitySamples {
  public:
    static constexpr std::size_t mostSamples = 1200;

    void clear();
    /// `cpuSeconds` is what the process has used since it began. The first one only sets the mark.
    void add(double seconds, double cpuSeconds, std::uint64_t bytes);
    [[nodiscard]] const std::vector<ActivitySample>& samples() const { return m_samples; }

  private:
    void thin();

    std::vector<ActivitySample> m_samples;
    bool m_hasMark = false;
    double m_lastSeconds = 0;
    double m_lastCpuSeconds = 0;
};

/// Returns the CPU seconds of all threads of this process so far.
double processCpuSeconds();

/// Busy processors, of `cpus`, and memory over the time of a run. Throws Error{Project} without samples.
ChartSheet activitySheet(const std::vector<ActivitySample>& samples, int cpus);

/// One quantity over time as a filled line, with its latest value, the most that there can be, and the value
/// under the pointer or at a moment chosen with the arrow keys.
class ActivityGraph : public QWidget {
    Q_OBJECT

  public:
    using Text = std::function<QString(double)>;

    /// `text` writes a value for people.
    ActivityGraph(QString title, Text text, QWidget* parent = nullptr);

    /// `points` are seconds and values; the vertical axis ends at `limit`, or higher where a value is.
    void setPoints(std::vector<QPointF> points, double limit);
    /// Returns what is said of the moment chosen with the keys; empty when none is.
    [[nodiscard]] QString toldText() const;
    /// "Processors: 3.4 of 4".
    [[nodiscard]] QString valueText() const;
    [[nodiscard]] static QString emptyText();

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    void tell(int point);
    void tellNothing();
    [[nodiscard]] QString toText(QPointF point) const;
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] QPointF placeOf(QPointF point) const;
    [[nodiscard]] double top() const;

    QString m_title;
    Text m_text;
    std::vector<QPointF> m_points;
    double m_limit = 1;
    int m_told = -1;  ///< point chosen with the keys; -1 for none
};

}  // namespace meshreel
