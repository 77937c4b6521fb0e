// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QRect>
#include <QRgb>
#include <QStaticText>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ui/timeline/trace_model.h"

class QFontMetrics;
class QImage;
class QPainter;
class QWidget;

namespace meshreel {

/// "1.23 s", "12.3 ms", "4.56 µs".
QString timeText(double seconds);
/// "1.250 s": with as many decimals as tell times apart that lie `step` seconds from each other.
QString secondsWithDecimals(double seconds, double step);

/// A trace with the name that it is shown under.
struct NamedTrace {
    QString name;
    std::shared_ptr<const TraceModel> trace;
};

/// A row of a lane, in pixels from the top of everything.
struct TimelineLine {
    int trace = 0;
    int lane = 0;
    int row = 0;
    int top = 0;
};

/// Returns the lane's name, and of two traces behind or below it that of the run.
QString lineName(const std::vector<NamedTrace>& traces, const TimelineLine& line);

// The time axis: what is shown lies from the left edge of the plot to its right one.
double secondsPerPixel(const QRect& plot, const TimeSpan& shown);
double xOf(const QRect& plot, const TimeSpan& shown, double time);

/// What is to be painted, in pixels of the view.
struct TimelinePicture {
    const std::vector<TimelineLine>& lines;
    QRect plot;            ///< below the ruler, beside the names
    int width = 0;         ///< of the view
    double sharpness = 1;  ///< pixels of the screen for each
    int above = 0;         ///< pixels of the lines that are scrolled away
    TimeSpan shown;
    QRect selected = {};  ///< empty: nothing is
    std::optional<TimeSpan> measured = {};
};

/// Paints the lanes of traces, their names, the ruler above them, and marks on them.
class TimelinePainter {
  public:
    static constexpr int rowGap = 1;

    /// With the palette and letters of the view, which outlives it.
    explicit TimelinePainter(const QWidget& view) : m_view(view) {}

    [[nodiscard]] static int lineHeight(const QFontMetrics& letters);
    [[nodiscard]] static int rulerHeight(const QFontMetrics& letters);

    /// Also called when palette or letters have changed; forgets the search.
    void setTraces(const std::vector<NamedTrace>& traces);
    /// Names without this text are painted paler; empty: none.
    void setSearch(const QString& text);
    void paint(QPainter& painter, const TimelinePicture& picture);

  private:
    struct LineLabels;

    void paintRuler(QPainter& painter, const TimelinePicture& picture) const;
    void paintLanes(QPainter& painter, const TimelinePicture& picture);
    void paintNames(QPainter& painter, const TimelinePicture& picture) const;
    void paintMeasured(QPainter& painter, const TimelinePicture& picture) const;
    void paintSelected(QPainter& painter, const TimelinePicture& picture) const;
    void drawLine(const TimelinePicture& picture, const TimelineLine& line, QImage& image, int top,
                  int bottom, LineLabels& labels);
    void paintLabels(QPainter& painter, const LineLabels& labels);
    const QStaticText& labelOf(int trace, std::uint32_t name);

    const QWidget& m_view;
    std::vector<NamedTrace> m_traces;
    std::vector<std::vector<bool>> m_found;             ///< for each trace and name
    std::vector<std::vector<QRgb>> m_colors;            ///< for each trace and name
    std::vector<QHash<quint32, QStaticText>> m_labels;  ///< for each trace and name, made when first seen
    std::vector<DrawnSlice> m_drawn;                    ///< of the line at hand
    std::vector<QRgb> m_pixels;                         ///< of the line at hand
};

}  // namespace meshreel
