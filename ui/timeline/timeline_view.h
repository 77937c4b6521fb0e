// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <QPoint>
#include <QRect>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "ui/timeline/timeline_painter.h"
#include "ui/timeline/trace_model.h"

namespace meshreel {

/// A slice of one of the traces that are shown.
struct TimelinePlace {
    int trace = 0;
    SlicePlace slice;

    friend bool operator==(const TimelinePlace&, const TimelinePlace&) = default;
};

/// Lanes of one trace, or of two, each lane of one above that of the other, over one time axis on which each
/// begins at 0. The keys and the mouse are those of Perfetto: the wheel zooms at the pointer, with Shift it
/// moves; W and S zoom, A and D move; F frames what is selected; a drag moves, and along the ruler or with
/// Shift it measures.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit TimelineView(QWidget* parent = nullptr);
    ~TimelineView() override;

    /// One or two of them. Everything is shown, unless the first stays the same.
    void setTraces(std::vector<NamedTrace> traces);
    [[nodiscard]] const std::vector<NamedTrace>& traces() const { return m_traces; }

    /// Returns what is seen of the time.
    [[nodiscard]] TimeSpan shown() const { return m_shown; }
    /// Within what there is, and not below what can be told apart.
    void showSpan(const TimeSpan& span);
    void showAll();
    /// `factor` above 1 magnifies; the time `at` stays where it is.
    void zoom(double factor, double at);
    /// By a part of what is seen.
    void pan(double share);

    [[nodiscard]] const std::optional<TimelinePlace>& selected() const { return m_selected; }
    void select(const std::optional<TimelinePlace>& place);
    /// Selects it, and moves it into sight; zooms in where it is narrower than a few pixels.
    void goTo(const TimelinePlace& place);
    /// Shows the selected slice, or what is measured, with a margin.
    void frameSelection();
    /// Selects the slice before or after the selected one in its row.
    void selectBeside(int direction);

    [[nodiscard]] const std::optional<TimeSpan>& measured() const { return m_measured; }
    void measure(const std::optional<TimeSpan>& span);
    /// Names without this text are drawn paler; empty: none.
    void setSearch(const QString& text);

    /// Returns where a slice is drawn, in the viewport; empty when it is not in sight.
    [[nodiscard]] QRect rectOf(const TimelinePlace& place) const;
    [[nodiscard]] std::optional<TimelinePlace> placeAt(const QPoint& point) const;
    [[nodiscard]] double timeAt(int x) const;
    /// Returns where the rows begin, and the ruler above them.
    [[nodiscard]] QRect plot() const;
    [[nodiscard]] int rulerHeight() const;
    /// Returns "attend, 1.23 ms, from 2.345 s, Device 3, step 4".
    [[nodiscard]] QString describe(const TimelinePlace& place) const;

    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void selectionChanged();
    void measuredChanged();
    void shownChanged();

  protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    enum class Drag { None, Pressed, Panning, Measuring };

    void layOut();
    void fitScrollBar();
    [[nodiscard]] int lineHeight() const;
    [[nodiscard]] TimelinePicture picture() const;
    [[nodiscard]] double wholeSeconds() const;
    [[nodiscard]] double leastSpan() const;
    [[nodiscard]] double secondsPerPixel() const;
    [[nodiscard]] const TraceModel& traceOf(int index) const {
        return *m_traces[static_cast<std::size_t>(index)].trace;
    }
    [[nodiscard]] const TimelineLine* lineOf(const TimelinePlace& place) const;
    void bringLineIntoSight(const TimelineLine& line);
    void startDrag(const QMouseEvent& event);

    std::vector<NamedTrace> m_traces;
    std::vector<TimelineLine> m_lines;
    int m_height = 0;  ///< of all lines
    int m_namesWidth = 0;
    TimeSpan m_shown;
    std::optional<TimelinePlace> m_selected;
    std::optional<TimeSpan> m_measured;
    QString m_search;
    std::unique_ptr<TimelinePainter> m_painter;
    Drag m_drag = Drag::None;
    QPoint m_pressed;
    QPoint m_last;
    double m_measuredFrom = 0;
};

}  // namespace meshreel
