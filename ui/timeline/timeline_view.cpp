// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_view.h"

#include <QAccessible>
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyle>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/charts/chart_style.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int rowPadding = 4;  ///< beside the height of letters
constexpr int rowGap = 1;
constexpr int laneGap = 6;
constexpr int leastLabel = 16;  ///< pixels of a slice that may have letters
constexpr int labelMargin = 3;
constexpr int tickDistance = 90;
constexpr int tickLength = 5;
constexpr double leastShown = 1e-7;   ///< seconds across: clocks tell no less apart
constexpr double leastShare = 1e-12;  ///< of the whole: numbers tell no less apart in a thousand pixels
constexpr double zoomStep = 1.5;      ///< of a key
constexpr double wheelBase = 1.0015;  ///< to the power of the wheel's angle
constexpr double panStep = 0.15;      ///< of what is seen, for a key
constexpr double frameMargin = 0.1;
constexpr int leastTarget = 8;     ///< pixels that goTo() makes of a slice
constexpr double goalShare = 0.2;  ///< of what is seen that a slice takes after goTo() has zoomed
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

QString secondsWithDecimals(double seconds, double step) {
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    return TimelineView::tr("%1 s", "seconds").arg(QLocale().toString(seconds, 'f', decimals));
}

}  // namespace

QString timeText(double seconds) {
    constexpr double milli = 1e-3;
    constexpr double micro = 1e-6;
    if (seconds >= 1)
        return TimelineView::tr("%1 s", "seconds").arg(threeDigits(seconds));
    return seconds >= milli ? TimelineView::tr("%1 ms", "milliseconds").arg(threeDigits(seconds / milli))
                            : TimelineView::tr("%1 µs", "microseconds").arg(threeDigits(seconds / micro));
}

/// Names of slices that are wide enough for them.
struct TimelineView::LineLabels {
    struct Label {
        int trace = 0;
        std::uint32_t name = 0;
        QRect place;
        QRgb ground = 0;
    };
    std::vector<Label> labels;
};

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timeline of the run"));
    setWhatsThis(tr(
        "W and S zoom, A and D move, F frames what is selected, M measures it, 0 shows everything. Comma and "
        "full stop select the slice before and after. The wheel zooms, with Shift it moves. A drag moves; "
        "along the ruler or with Shift it measures. Escape ends measuring and the selection."));
    layOut();
}

QSize TimelineView::minimumSizeHint() const {
    return {320, 160};
}

void TimelineView::setTraces(std::vector<NamedTrace> traces) {
    const bool isSame =
        !m_traces.empty() && !traces.empty() && m_traces.front().trace == traces.front().trace;
    m_traces = std::move(traces);
    m_labels.assign(m_traces.size(), {});
    if (!isSame) {
        m_selected.reset();
        m_measured.reset();
    } else if (m_selected && m_selected->trace >= static_cast<int>(m_traces.size())) {
        m_selected.reset();
    }
    layOut();
    setSearch(m_search);
    if (isSame)
        showSpan(m_shown);
    else
        showAll();
    emit selectionChanged();
    emit measuredChanged();
}

/// Lanes of the same place in both traces stand together, so that both are in sight.
void TimelineView::layOut() {
    m_lines.clear();
    m_colors.clear();
    m_namesWidth = 0;
    std::size_t lanes = 0;
    for (const NamedTrace& named : m_traces) {
        lanes = std::max(lanes, named.trace->lanes().size());
        std::vector<QRgb> colors;
        for (const QString& name : named.trace->names())
            colors.push_back(colorOf(name, palette()).rgb());
        m_colors.push_back(std::move(colors));
    }
    const int line = fontMetrics().height() + rowPadding;
    int top = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        for (std::size_t trace = 0; trace < m_traces.size(); ++trace) {
            const TraceModel& model = *m_traces[trace].trace;
            if (lane >= model.lanes().size())
                continue;
            for (std::size_t row = 0; row < model.lanes()[lane].rows.size(); ++row) {
                m_lines.push_back({.trace = static_cast<int>(trace),
                                   .lane = static_cast<int>(lane),
                                   .row = static_cast<int>(row),
                                   .top = top});
                const QString name = nameOf(m_lines.back());
                m_namesWidth = std::max(m_namesWidth, fontMetrics().horizontalAdvance(name));
                top += line;
            }
            top += laneGap;
        }
        top += m_traces.size() > 1 ? laneGap : 0;
    }
    m_height = top;
    m_namesWidth += 2 * spacing;
    fitScrollBar();
    viewport()->update();
}

/// The lane's name, and of two traces behind or below it that of the run.
QString TimelineView::nameOf(const Line& line) const {
    const TraceLane& lane = traceOf(line.trace).lanes()[static_cast<std::size_t>(line.lane)];
    const QString& run = m_traces[static_cast<std::size_t>(line.trace)].name;
    if (m_traces.size() < 2)
        return line.row == 0 ? lane.name : QString();
    if (lane.rows.size() == 1)
        return QStringLiteral("%1 · %2").arg(lane.name, run);
    return line.row == 0 ? lane.name : line.row == 1 ? run : QString();
}

void TimelineView::fitScrollBar() {
    const int page = plot().height();
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(fontMetrics().height() + rowPadding);
    verticalScrollBar()->setRange(0, std::max(0, m_height - page));
}

QRect TimelineView::plot() const {
    const int names = std::min(m_namesWidth, viewport()->width() / 3);
    return viewport()->rect().adjusted(names, rulerHeight(), 0, 0);
}

int TimelineView::rulerHeight() const {
    return fontMetrics().height() + 2 * rowPadding + tickLength;
}

double TimelineView::wholeSeconds() const {
    double seconds = 0;
    for (const NamedTrace& named : m_traces)
        seconds = std::max(seconds, named.trace->seconds());
    return std::max(seconds, leastShown);
}

/// Returns the fewest seconds that may be across.
double TimelineView::leastSpan() const {
    return std::max(leastShown, leastShare * wholeSeconds());
}

double TimelineView::secondsPerPixel() const {
    return m_shown.seconds() / std::max(1, plot().width());
}

double TimelineView::xOf(double time) const {
    return plot().left() + (time - m_shown.from) / secondsPerPixel();
}

double TimelineView::timeAt(int x) const {
    return m_shown.from + (x - plot().left()) * secondsPerPixel();
}

void TimelineView::showSpan(const TimeSpan& span) {
    const double whole = wholeSeconds();
    const double seconds = std::clamp(span.seconds(), leastSpan(), whole);
    const double from = std::clamp(span.from, 0.0, whole - seconds);
    m_shown = {from, from + seconds};
    viewport()->update();
    emit shownChanged();
}

void TimelineView::showAll() {
    showSpan({0, wholeSeconds()});
}

void TimelineView::zoom(double factor, double at) {
    const double seconds = std::clamp(m_shown.seconds() / factor, leastSpan(), wholeSeconds());
    const double share = (at - m_shown.from) / m_shown.seconds();
    showSpan({at - share * seconds, at + (1 - share) * seconds});
}

void TimelineView::pan(double share) {
    const double by = share * m_shown.seconds();
    showSpan({m_shown.from + by, m_shown.to + by});
}

void TimelineView::select(const std::optional<TimelinePlace>& place) {
    if (m_selected == place)
        return;
    m_selected = place;
    setAccessibleDescription(place ? describe(*place) : QString());
    viewport()->update();
    emit selectionChanged();
}

void TimelineView::goTo(const TimelinePlace& place) {
    select(place);
    const TraceSlice& slice = traceOf(place.trace).at(place.slice);
    TimeSpan span = m_shown;
    if (slice.seconds() < leastTarget * secondsPerPixel()) {
        const double seconds = std::max(slice.seconds() / goalShare, leastSpan());
        span = {slice.start - (seconds - slice.seconds()) / 2, 0};
        span.to = span.from + seconds;
    }
    if (slice.start < span.from || slice.end > span.to) {
        const double middle = (slice.start + slice.end) / 2;
        span = {middle - span.seconds() / 2, middle + span.seconds() / 2};
    }
    showSpan(span);
    if (const Line* line = lineOf(place))
        bringLineIntoSight(*line);
}

void TimelineView::frameSelection() {
    TimeSpan span;
    if (m_selected) {
        const TraceSlice& slice = traceOf(m_selected->trace).at(m_selected->slice);
        span = {slice.start, slice.end};
        if (const Line* line = lineOf(*m_selected))
            bringLineIntoSight(*line);
    } else if (m_measured) {
        span = *m_measured;
    } else {
        return;
    }
    const double margin = frameMargin * span.seconds();
    showSpan({span.from - margin, span.to + margin});
}

void TimelineView::selectBeside(int direction) {
    if (!m_selected)
        return;
    TimelinePlace place = *m_selected;
    const std::size_t slices = traceOf(place.trace).rowOf(place.slice).slices.size();
    if (direction < 0 ? place.slice.slice == 0 : place.slice.slice + 1 >= slices)
        return;
    place.slice.slice += direction < 0 ? std::size_t(-1) : 1;
    goTo(place);
}

void TimelineView::measure(const std::optional<TimeSpan>& span) {
    m_measured = span;
    viewport()->update();
    emit measuredChanged();
}

void TimelineView::setSearch(const QString& text) {
    m_search = text;
    m_found.clear();
    for (const NamedTrace& named : m_traces)
        m_found.push_back(named.trace->namesWith(text));
    viewport()->update();
}

const TimelineView::Line* TimelineView::lineOf(const TimelinePlace& place) const {
    const auto found = std::ranges::find_if(m_lines, [&place](const Line& line) {
        return line.trace == place.trace && line.lane == place.slice.lane && line.row == place.slice.row;
    });
    return found == m_lines.end() ? nullptr : &*found;
}

void TimelineView::bringLineIntoSight(const Line& line) {
    const int height = fontMetrics().height() + rowPadding;
    const int above = verticalScrollBar()->value();
    if (line.top < above)
        verticalScrollBar()->setValue(line.top);
    else if (line.top + height > above + plot().height())
        verticalScrollBar()->setValue(line.top + height - plot().height());
}

QRect TimelineView::rectOf(const TimelinePlace& place) const {
    const Line* line = lineOf(place);
    if (line == nullptr)
        return {};
    const TraceSlice& slice = traceOf(place.trace).at(place.slice);
    const QRect area = plot();
    const double left = std::clamp(xOf(slice.start), area.left() - 1.0, area.right() + 2.0);
    const double right = std::clamp(xOf(slice.end), area.left() - 1.0, area.right() + 2.0);
    const QRect whole(static_cast<int>(std::floor(left)),
                      area.top() + line->top - verticalScrollBar()->value(),
                      std::max(1, static_cast<int>(std::floor(right) - std::floor(left))),
                      fontMetrics().height() + rowPadding - rowGap);
    return whole.intersected(area);
}

std::optional<TimelinePlace> TimelineView::placeAt(const QPoint& point) const {
    const QRect area = plot();
    if (!area.contains(point) || m_traces.empty())
        return std::nullopt;
    const int y = point.y() - area.top() + verticalScrollBar()->value();
    const int height = fontMetrics().height() + rowPadding;
    for (const Line& line : m_lines) {
        if (y < line.top || y >= line.top + height)
            continue;
        const std::vector<TraceSlice>& slices = traceOf(line.trace)
                                                    .lanes()[static_cast<std::size_t>(line.lane)]
                                                    .rows[static_cast<std::size_t>(line.row)]
                                                    .slices;
        const SlicePlace place{line.lane, line.row, 0};
        const TraceRow& row = traceOf(line.trace).rowOf(place);
        const double time = timeAt(point.x());
        const double reach = secondsPerPixel();
        const std::size_t slice = row.firstAfter(time - reach / 2);
        if (slice < slices.size() && slices[slice].start <= time + reach)
            return TimelinePlace{line.trace, {line.lane, line.row, slice}};
        return std::nullopt;
    }
    return std::nullopt;
}

QString TimelineView::describe(const TimelinePlace& place) const {
    const TraceModel& model = traceOf(place.trace);
    const TraceSlice& slice = model.at(place.slice);
    QStringList parts{model.nameOf(slice), timeText(slice.seconds()),
                      tr("from %1", "a time").arg(secondsWithDecimals(slice.start, 1e-6)),
                      model.lanes()[static_cast<std::size_t>(place.slice.lane)].name};
    if (slice.step >= 0 && static_cast<std::uint32_t>(slice.step) != slice.name)
        parts += model.names()[static_cast<std::size_t>(slice.step)];
    if (m_traces.size() > 1)
        parts += m_traces[static_cast<std::size_t>(place.trace)].name;
    return parts.join(tr(", ", "between the parts of a description"));
}

bool TimelineView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const auto place = placeAt(help->pos()))
            QToolTip::showText(help->globalPos(), describe(*place), viewport());
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    fitScrollBar();
}

void TimelineView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_labels.assign(m_traces.size(), {});
        layOut();
    }
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint angle = event->angleDelta();
    const QRect area = plot();
    const QPoint at = event->position().toPoint();
    event->accept();
    if (at.x() < area.left())  // over the names
        return QAbstractScrollArea::wheelEvent(event);
    const bool sideways =
        event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(angle.x()) > std::abs(angle.y());
    const int turned = std::abs(angle.x()) > std::abs(angle.y()) ? angle.x() : angle.y();
    if (sideways)
        pan(-panStep * turned / static_cast<int>(QWheelEvent::DefaultDeltasPerStep));
    else
        zoom(std::pow(wheelBase, turned), timeAt(at.x()));
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return QAbstractScrollArea::mousePressEvent(event);
    setFocus(Qt::MouseFocusReason);
    m_pressed = m_last = event->position().toPoint();
    const bool measures = m_pressed.y() < rulerHeight() || event->modifiers().testFlag(Qt::ShiftModifier);
    m_drag = measures ? Drag::Measuring : Drag::Pressed;
    m_measuredFrom = std::clamp(timeAt(m_pressed.x()), 0.0, wholeSeconds());
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (m_drag == Drag::Pressed && (at - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
        m_drag = Drag::Panning;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (m_drag == Drag::Panning) {
        const double by = (m_last.x() - at.x()) * secondsPerPixel();
        verticalScrollBar()->setValue(verticalScrollBar()->value() + m_last.y() - at.y());
        showSpan({m_shown.from + by, m_shown.to + by});
        m_last = at;
    } else if (m_drag == Drag::Measuring) {
        const double to = std::clamp(timeAt(at.x()), 0.0, wholeSeconds());
        m_measured = TimeSpan{std::min(m_measuredFrom, to), std::max(m_measuredFrom, to)};
        viewport()->update();
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return QAbstractScrollArea::mouseReleaseEvent(event);
    const Drag drag = std::exchange(m_drag, Drag::None);
    viewport()->unsetCursor();
    const QPoint at = event->position().toPoint();
    if (drag == Drag::Pressed)
        select(placeAt(at));
    if (drag != Drag::Measuring)
        return;
    if (std::abs(at.x() - m_pressed.x()) < QApplication::startDragDistance())
        m_measured.reset();
    measure(m_measured);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto place = placeAt(event->position().toPoint())) {
        select(place);
        frameSelection();
    }
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const double middle = (m_shown.from + m_shown.to) / 2;
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier) || m_traces.empty())
        return QAbstractScrollArea::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_W:
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoom(zoomStep, middle);
        case Qt::Key_S:
        case Qt::Key_Minus:
            return zoom(1 / zoomStep, middle);
        case Qt::Key_A:
        case Qt::Key_Left:
            return pan(-panStep);
        case Qt::Key_D:
        case Qt::Key_Right:
            return pan(panStep);
        case Qt::Key_0:
        case Qt::Key_Home:
            return showAll();
        case Qt::Key_F:
            return frameSelection();
        case Qt::Key_M:
            if (m_selected) {
                const TraceSlice& slice = traceOf(m_selected->trace).at(m_selected->slice);
                measure(TimeSpan{slice.start, slice.end});
            }
            return;
        case Qt::Key_Comma:
            return selectBeside(-1);
        case Qt::Key_Period:
            return selectBeside(1);
        case Qt::Key_Escape:
            if (!m_measured && !m_selected)
                return QAbstractScrollArea::keyPressEvent(event);
            measure(std::nullopt);
            return select(std::nullopt);
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

void TimelineView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    if (m_traces.empty())
        return;
    paintLanes(painter);
    paintNames(painter);
    paintRuler(painter);
    paintMeasured(painter);
    paintSelected(painter);
    paintFocus(painter, *this);
}

/// One line of pixels a row, repeated over its height.
void TimelineView::drawLine(const Line& line, QImage& image, int top, int bottom, LineLabels& labels) {
    const QRgb base = palette().color(QPalette::Base).rgb();
    const QRgb ground = paler(base, palette().color(QPalette::Text).rgb(), groundShare);
    const auto trace = static_cast<std::size_t>(line.trace);
    const TraceRow& row = traceOf(line.trace).rowOf({line.lane, line.row, 0});
    const int width = image.width();
    const double sharp = image.devicePixelRatio();
    m_drawn.clear();
    layOutRow(row, m_shown.from, m_shown.seconds() / width, width, m_drawn);
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
                                                    fontMetrics().height() + rowPadding - rowGap),
                                     .ground = color});
    }
    for (int y = std::max(0, top); y < std::min(image.height(), bottom); ++y)
        std::ranges::copy(m_pixels, reinterpret_cast<QRgb*>(image.scanLine(y)));
}

void TimelineView::paintLanes(QPainter& painter) {
    const QRect area = plot();
    const double sharp = viewport()->devicePixelRatio();
    QImage image(QSize(static_cast<int>(area.width() * sharp), static_cast<int>(area.height() * sharp)),
                 QImage::Format_RGB32);
    if (image.isNull())
        return;
    image.setDevicePixelRatio(sharp);
    image.fill(palette().color(QPalette::Base));
    const int above = verticalScrollBar()->value();
    const int height = fontMetrics().height() + rowPadding - rowGap;
    LineLabels labels;
    for (const Line& line : m_lines) {
        const int top = line.top - above;
        if (top + height > 0 && top < area.height())
            drawLine(line, image, static_cast<int>(top * sharp), static_cast<int>((top + height) * sharp),
                     labels);
    }
    painter.drawImage(area.topLeft(), image);
    painter.save();
    painter.setClipRect(area);
    painter.translate(area.left(), area.top() - above);
    paintLabels(painter, labels);
    painter.restore();
}

const QStaticText& TimelineView::labelOf(int trace, std::uint32_t name) {
    QHash<quint32, QStaticText>& labels = m_labels[static_cast<std::size_t>(trace)];
    const auto found = labels.constFind(name);
    if (found != labels.constEnd())
        return *found;
    QStaticText text(traceOf(trace).names()[name]);
    text.setTextFormat(Qt::PlainText);
    text.setPerformanceHint(QStaticText::AggressiveCaching);
    text.prepare({}, font());
    return *labels.insert(name, text);
}

/// Letters that do not fit are left out.
void TimelineView::paintLabels(QPainter& painter, const LineLabels& labels) {
    const double letter = fontMetrics().averageCharWidth();
    constexpr int leastLetters = 3;
    painter.setFont(font());
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
            painter.drawText(at + QPointF(0, fontMetrics().ascent()),
                             text.text().left(letters) + QChar(0x2026));
    }
}

void TimelineView::paintNames(QPainter& painter) const {
    const QRect area = plot();
    const int above = verticalScrollBar()->value();
    const int height = fontMetrics().height() + rowPadding - rowGap;
    painter.save();
    painter.setClipRect(QRect(0, area.top(), viewport()->width(), area.height()));
    painter.setFont(font());
    for (const Line& line : m_lines) {
        const int top = area.top() + line.top - above;
        const QString name = nameOf(line);
        if (name.isEmpty() || top > area.bottom() || top + height < area.top())
            continue;
        painter.setPen(line.row == 0 ? palette().color(QPalette::Text) : mutedColor(palette()));
        const QRect place(spacing, top, area.left() - 2 * spacing, height);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(name, Qt::ElideMiddle, place.width()));
    }
    painter.restore();
}

void TimelineView::paintRuler(QPainter& painter) const {
    const QRect area = plot();
    const QRect ruler(0, 0, viewport()->width(), rulerHeight());
    painter.fillRect(ruler, palette().color(QPalette::Window));
    painter.setFont(font());
    const double step = niceStep(tickDistance * secondsPerPixel());
    painter.save();
    painter.setClipRect(QRect(area.left(), 0, area.width(), viewport()->height()));
    const QColor text = palette().color(QPalette::WindowText);
    QColor grid = text;
    constexpr int gridAlpha = 24;
    grid.setAlpha(gridAlpha);
    const double first = std::ceil(m_shown.from / step);
    const auto ticks = static_cast<int>(std::floor(m_shown.to / step) - first) + 1;
    for (int i = 0; i < ticks; ++i) {
        const double tick = (first + i) * step;
        const double x = xOf(tick);
        painter.setPen(grid);
        painter.drawLine(QPointF(x, ruler.bottom()), QPointF(x, area.bottom()));
        painter.setPen(text);
        painter.drawLine(QPointF(x, ruler.bottom() - tickLength), QPointF(x, ruler.bottom()));
        painter.drawText(QPointF(x + labelMargin, rowPadding + fontMetrics().ascent()),
                         secondsWithDecimals(tick, step));
    }
    painter.restore();
}

void TimelineView::paintMeasured(QPainter& painter) const {
    if (!m_measured || m_measured->to < m_shown.from || m_measured->from > m_shown.to)
        return;
    const QRect area = plot();
    const double left = std::clamp(xOf(m_measured->from), double(area.left()), double(area.right()));
    const double right = std::clamp(xOf(m_measured->to), double(area.left()), double(area.right()));
    QColor accent = palette().color(QPalette::Highlight);
    constexpr int washAlpha = 50;
    accent.setAlpha(washAlpha);
    painter.fillRect(QRectF(left, rulerHeight(), right - left, area.height()), accent);
    accent.setAlpha(255);
    painter.setPen(accent);
    for (const double x : {left, right})
        painter.drawLine(QPointF(x, 0), QPointF(x, area.bottom()));
    const QString words = timeText(m_measured->seconds());
    const int width = fontMetrics().horizontalAdvance(words) + 2 * labelMargin;
    const double at =
        std::clamp((left + right - width) / 2, double(area.left()), double(area.right() - width));
    const QRectF place(at, 1, width, fontMetrics().height() + rowPadding);
    painter.fillRect(place, accent);
    painter.setPen(palette().color(QPalette::HighlightedText));
    painter.drawText(place, Qt::AlignCenter, words);
}

void TimelineView::paintSelected(QPainter& painter) const {
    if (!m_selected)
        return;
    const QRect place = rectOf(*m_selected);
    if (place.isEmpty())
        return;
    painter.setPen(QPen(palette().color(QPalette::Text), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(place.adjusted(0, 0, -1, -1));
}

}  // namespace meshreel

#include "moc_timeline_view.cpp"
