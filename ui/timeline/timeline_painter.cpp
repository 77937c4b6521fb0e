// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_painter.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QImage>
#include <QLocale>
#include <QPainter>
#include <QPalette>
#include <QPen>
#include <QWidget>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/charts/chart_style.h"
#include "ui/theme/look.h"
#include "ui/timeline/timeline_view.h"

namespace meshreel {

namespace {

struct TimelineTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::TimelineView)
};

constexpr int rowPadding = 4;   ///< beside the height of letters
constexpr int leastLabel = 16;  ///< pixels of a slice that may have letters
constexpr int labelMargin = 3;
constexpr int tickDistance = 90;
constexpr int tickLength = 5;
constexpr double paleShare = 0.75;
constexpr double groundShare = 0.04;  ///< of the text's colour in an empty row
constexpr double stripeShare = 0.12;  ///< between slices of every other number

/// "transformer_block 12" is a "transformer_block", of an even number.
struct Stem {
    QString words;
    bool isOdd = false;
};

Stem stemOf(const QString& name) {
    qsizetype end = name.size();
    while (end > 0 && name[end - 1].isDigit())
        --end;
    const bool isNumbered = end < name.size() && end > 0 && name[end - 1] == QLatin1Char(' ');
    if (!isNumbered)
        return {name, false};
    return {name.left(end - 1), name.back().digitValue() % 2 == 1};
}

/// A name has one colour in every trace. The ones that meshes are about stand apart.
int colorNumber(const QString& words) {
    constexpr std::array known{"step",       "attend",   "transformer_block", "self_attn", "mlp",
                               "cross_attn", "WanModel", "exchange",          "rotate"};
    const auto* const found =
        std::ranges::find_if(known, [&words](const char* name) { return words == QLatin1String(name); });
    if (found != known.end())
        return static_cast<int>(found - known.begin());
    return static_cast<int>(known.size()) + static_cast<int>(qHash(words, 0) % ChartStyle::seriesColors);
}

QColor colorOf(const QString& name, const QPalette& palette) {
    const Stem stem = stemOf(name);
    const int number = colorNumber(stem.words);
    const int round = number / ChartStyle::seriesColors;
    const QColor ground = palette.color(QPalette::Base);
    // Where colours repeat they are nearer to the ground; on dark ground, all of them are calmer.
    const double share =
        std::min(0.6, 0.25 * round + (isDark(palette) ? 0.15 : 0.1) + (stem.isOdd ? stripeShare : 0));
    return mixedColor(ChartStyle::series(number), ground, share);
}

QColor letterColor(QRgb ground) {
    constexpr int middle = 140;
    return qGray(ground) > middle ? QColor(Qt::black) : QColor(Qt::white);
}

/// Called for every pixel of every row.
QRgb paler(QRgb color, QRgb ground, double share) {
    constexpr int whole = 256;
    const int part = static_cast<int>(share * whole);
    const auto mixed = [part](int one, int other) { return one + (other - one) * part / whole; };
    return qRgb(mixed(qRed(color), qRed(ground)), mixed(qGreen(color), qGreen(ground)),
                mixed(qBlue(color), qBlue(ground)));
}

/// 1, 2 or 5 times a power of ten, at least `least`.
double niceStep(double least) {
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least)
            return factor * power;
    return 10 * power;
}

}  // namespace

QString timeText(double seconds) {
    constexpr double milli = 1e-3;
    constexpr double micro = 1e-6;
    if (seconds >= 1)
        return TimelineTexts::tr("%1 s", "seconds").arg(threeDigits(seconds));
    return seconds >= milli ? TimelineTexts::tr("%1 ms", "milliseconds").arg(threeDigits(seconds / milli))
                            : TimelineTexts::tr("%1 µs", "microseconds").arg(threeDigits(seconds / micro));
}

QString secondsWithDecimals(double seconds, double step) {
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    return TimelineTexts::tr("%1 s", "seconds").arg(QLocale().toString(seconds, 'f', decimals));
}

double secondsPerPixel(const QRect& plot, const TimeSpan& shown) {
    return shown.seconds() / std::max(1, plot.width());
}

double xOf(const QRect& plot, const TimeSpan& shown, double time) {
    return plot.left() + (time - shown.from) / secondsPerPixel(plot, shown);
}

/// The lane's name, and of two traces behind or below it that of the run.
QString lineName(const std::vector<NamedTrace>& traces, const TimelineLine& line) {
    const TraceLane& lane =
        traces[static_cast<std::size_t>(line.trace)].trace->lanes()[static_cast<std::size_t>(line.lane)];
    const QString& run = traces[static_cast<std::size_t>(line.trace)].name;
    if (traces.size() < 2)
        return line.row == 0 ? lane.name : QString();
    if (lane.rows.size() == 1)
        return QStringLiteral("%1 · %2").arg(lane.name, run);
    return line.row == 0 ? lane.name : line.row == 1 ? run : QString();
}

/// Names of slices that are wide enough for them.
struct TimelinePainter::LineLabels {
    struct Label {
        int trace = 0;
        std::uint32_t name = 0;
        QRect place;
        QRgb ground = 0;
    };
    std::vector<Label> labels;
};

int TimelinePainter::lineHeight(const QFontMetrics& letters) {
    return letters.height() + rowPadding;
}

int TimelinePainter::rulerHeight(const QFontMetrics& letters) {
    return letters.height() + 2 * rowPadding + tickLength;
}

void TimelinePainter::setTraces(const std::vector<NamedTrace>& traces) {
    m_traces = traces;
    m_labels.assign(traces.size(), {});
    m_colors.clear();
    for (const NamedTrace& named : traces) {
        std::vector<QRgb> colors;
        for (const QString& name : named.trace->names())
            colors.push_back(colorOf(name, m_view.palette()).rgb());
        m_colors.push_back(std::move(colors));
    }
    setSearch({});
}

void TimelinePainter::setSearch(const QString& text) {
    m_found.clear();
    for (const NamedTrace& named : m_traces)
        m_found.push_back(named.trace->namesWith(text));
}

void TimelinePainter::paint(QPainter& painter, const TimelinePicture& picture) {
    paintLanes(painter, picture);
    paintNames(painter, picture);
    paintRuler(painter, picture);
    paintMeasured(painter, picture);
    paintSelected(painter, picture);
}

/// One line of pixels a row, repeated over its height.
void TimelinePainter::drawLine(const TimelinePicture& picture, const TimelineLine& line, QImage& image,
                               int top, int bottom, LineLabels& labels) {
    const QRgb base = m_view.palette().color(QPalette::Base).rgb();
    const QRgb ground = paler(base, m_view.palette().color(QPalette::Text).rgb(), groundShare);
    const auto trace = static_cast<std::size_t>(line.trace);
    const TraceRow& row =
        m_traces[static_cast<std::size_t>(line.trace)].trace->rowOf({line.lane, line.row, 0});
    const int width = image.width();
    const double sharp = image.devicePixelRatio();
    m_drawn.clear();
    layOutRow(row, picture.shown.from, picture.shown.seconds() / width, width, m_drawn);
    m_pixels.assign(static_cast<std::size_t>(width), ground);
    for (const DrawnSlice& drawn : m_drawn) {
        const std::uint32_t name = row.slices[drawn.slice].name;
        QRgb color = m_colors[trace][name];
        if (!m_found[trace][name])
            color = paler(color, ground, paleShare);
        if (drawn.count > 1)
            color = paler(color, ground, 1 - drawn.covered);
        const int left = std::max(0, drawn.left);
        const int right = std::min(width, drawn.right);
        std::fill(m_pixels.begin() + left, m_pixels.begin() + right, color);
        constexpr int separable = 3;  // pixels
        if (right - left >= separable && drawn.left >= 0)
            m_pixels[static_cast<std::size_t>(left)] = paler(color, base, 1.0 / 2);
        if (drawn.count == 1 && right - left >= leastLabel * sharp)
            labels.labels.push_back({.trace = line.trace,
                                     .name = name,
                                     .place = QRect(static_cast<int>(left / sharp), line.top,
                                                    static_cast<int>((right - left) / sharp),
                                                    lineHeight(m_view.fontMetrics()) - rowGap),
                                     .ground = color});
    }
    for (int y = std::max(0, top); y < std::min(image.height(), bottom); ++y)
        std::ranges::copy(m_pixels, reinterpret_cast<QRgb*>(image.scanLine(y)));
}

void TimelinePainter::paintLanes(QPainter& painter, const TimelinePicture& picture) {
    const QRect area = picture.plot;
    const double sharp = picture.sharpness;
    QImage image(QSize(static_cast<int>(area.width() * sharp), static_cast<int>(area.height() * sharp)),
                 QImage::Format_RGB32);
    if (image.isNull())
        return;
    image.setDevicePixelRatio(sharp);
    image.fill(m_view.palette().color(QPalette::Base));
    const int above = picture.above;
    const int height = lineHeight(m_view.fontMetrics()) - rowGap;
    LineLabels labels;
    for (const TimelineLine& line : picture.lines) {
        const int top = line.top - above;
        if (top + height > 0 && top < area.height())
            drawLine(picture, line, image, static_cast<int>(top * sharp),
                     static_cast<int>((top + height) * sharp), labels);
    }
    painter.drawImage(area.topLeft(), image);
    painter.save();
    painter.setClipRect(area);
    painter.translate(area.left(), area.top() - above);
    paintLabels(painter, labels);
    painter.restore();
}

const QStaticText& TimelinePainter::labelOf(int trace, std::uint32_t name) {
    QHash<quint32, QStaticText>& labels = m_labels[static_cast<std::size_t>(trace)];
    const auto found = labels.constFind(name);
    if (found != labels.constEnd())
        return *found;
    QStaticText text(m_traces[static_cast<std::size_t>(trace)].trace->names()[name]);
    text.setTextFormat(Qt::PlainText);
    text.setPerformanceHint(QStaticText::AggressiveCaching);
    text.prepare({}, m_view.font());
    return *labels.insert(name, text);
}

/// Letters that do not fit are left out.
void TimelinePainter::paintLabels(QPainter& painter, const LineLabels& labels) {
    const double letter = m_view.fontMetrics().averageCharWidth();
    constexpr int leastLetters = 3;
    painter.setFont(m_view.font());
    for (const LineLabels::Label& label : labels.labels) {
        const QStaticText& text = labelOf(label.trace, label.name);
        const double room = label.place.width() - 2 * labelMargin;
        const QPointF at(label.place.left() + labelMargin, label.place.top() + rowPadding / 2.0);
        painter.setPen(letterColor(label.ground));
        if (text.size().width() <= room) {
            painter.drawStaticText(at, text);
            continue;
        }
        const auto letters = static_cast<int>(room / letter) - 1;
        if (letters >= leastLetters)
            painter.drawText(at + QPointF(0, m_view.fontMetrics().ascent()),
                             text.text().left(letters) + QChar(0x2026));
    }
}

void TimelinePainter::paintNames(QPainter& painter, const TimelinePicture& picture) const {
    const QRect area = picture.plot;
    const int above = picture.above;
    const int height = lineHeight(m_view.fontMetrics()) - rowGap;
    painter.save();
    painter.setClipRect(QRect(0, area.top(), picture.width, area.height()));
    painter.setFont(m_view.font());
    for (const TimelineLine& line : picture.lines) {
        const int top = area.top() + line.top - above;
        const QString name = lineName(m_traces, line);
        if (name.isEmpty() || top > area.bottom() || top + height < area.top())
            continue;
        painter.setPen(line.row == 0 ? m_view.palette().color(QPalette::Text) : mutedColor(m_view.palette()));
        const QRect place(spacing, top, area.left() - 2 * spacing, height);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                         m_view.fontMetrics().elidedText(name, Qt::ElideMiddle, place.width()));
    }
    painter.restore();
}

void TimelinePainter::paintRuler(QPainter& painter, const TimelinePicture& picture) const {
    const QRect area = picture.plot;
    const QRect ruler(0, 0, picture.width, rulerHeight(m_view.fontMetrics()));
    painter.fillRect(ruler, m_view.palette().color(QPalette::Window));
    painter.setFont(m_view.font());
    const double step = niceStep(tickDistance * secondsPerPixel(picture.plot, picture.shown));
    painter.save();
    painter.setClipRect(QRect(area.left(), 0, area.width(), picture.plot.bottom() + 1));
    const QColor text = m_view.palette().color(QPalette::WindowText);
    QColor grid = text;
    constexpr int gridAlpha = 24;
    grid.setAlpha(gridAlpha);
    const double first = std::ceil(picture.shown.from / step);
    const auto ticks = static_cast<int>(std::floor(picture.shown.to / step) - first) + 1;
    for (int i = 0; i < ticks; ++i) {
        const double tick = (first + i) * step;
        const double x = xOf(picture.plot, picture.shown, tick);
        painter.setPen(grid);
        painter.drawLine(QPointF(x, ruler.bottom()), QPointF(x, area.bottom()));
        painter.setPen(text);
        painter.drawLine(QPointF(x, ruler.bottom() - tickLength), QPointF(x, ruler.bottom()));
        painter.drawText(QPointF(x + labelMargin, rowPadding + m_view.fontMetrics().ascent()),
                         secondsWithDecimals(tick, step));
    }
    painter.restore();
}

void TimelinePainter::paintMeasured(QPainter& painter, const TimelinePicture& picture) const {
    if (!picture.measured || picture.measured->to < picture.shown.from ||
        picture.measured->from > picture.shown.to)
        return;
    const QRect area = picture.plot;
    const double left = std::clamp(xOf(picture.plot, picture.shown, picture.measured->from),
                                   double(area.left()), double(area.right()));
    const double right = std::clamp(xOf(picture.plot, picture.shown, picture.measured->to),
                                    double(area.left()), double(area.right()));
    QColor accent = m_view.palette().color(QPalette::Highlight);
    constexpr int washAlpha = 50;
    accent.setAlpha(washAlpha);
    painter.fillRect(QRectF(left, rulerHeight(m_view.fontMetrics()), right - left, area.height()), accent);
    accent.setAlpha(255);
    painter.setPen(accent);
    for (const double x : {left, right})
        painter.drawLine(QPointF(x, 0), QPointF(x, area.bottom()));
    const QString words = timeText(picture.measured->seconds());
    const int width = m_view.fontMetrics().horizontalAdvance(words) + 2 * labelMargin;
    const double at =
        std::clamp((left + right - width) / 2, double(area.left()), double(area.right() - width));
    const QRectF place(at, 1, width, m_view.fontMetrics().height() + rowPadding);
    painter.fillRect(place, accent);
    painter.setPen(m_view.palette().color(QPalette::HighlightedText));
    painter.drawText(place, Qt::AlignCenter, words);
}

void TimelinePainter::paintSelected(QPainter& painter, const TimelinePicture& picture) const {
    const QRect& place = picture.selected;
    if (place.isEmpty())
        return;
    painter.setPen(QPen(m_view.palette().color(QPalette::Text), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(place.adjusted(0, 0, -1, -1));
}

}  // namespace meshreel
