// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_view.h"

#include <QAccessible>
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyle>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/theme/look.h"
#include "ui/timeline/timeline_painter.h"

namespace meshreel {

namespace {

constexpr int laneGap = 6;
constexpr double leastShown = 1e-7;   ///< seconds across: clocks tell no less apart
constexpr double leastShare = 1e-12;  ///< of the whole: numbers tell no less apart in a thousand pixels
constexpr double zoomStep = 1.5;      ///< of a key
constexpr double wheelBase = 1.0015;  ///< to the power of the wheel's angle
constexpr double panStep = 0.15;      ///< of what is seen, for a key
constexpr double frameMargin = 0.1;
constexpr int leastTarget = 8;     ///< pixels that goTo() makes of a slice
constexpr double goalShare = 0.2;  ///< of what is seen that a slice takes after goTo() has zoomed

}  // namespace

TimelineView::TimelineView(QWidget* parent)
    : QAbstractScrollArea(parent), m_painter(std::make_unique<TimelinePainter>(*this)) {
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

TimelineView::~TimelineView() = default;

QSize TimelineView::minimumSizeHint() const {
    return {320, 160};
}

void TimelineView::setTraces(std::vector<NamedTrace> traces) {
    const bool isSame =
        !m_traces.empty() && !traces.empty() && m_traces.front().trace == traces.front().trace;
    m_traces = std::move(traces);
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
    m_namesWidth = 0;
    m_painter->setTraces(m_traces);
    std::size_t lanes = 0;
    for (const NamedTrace& named : m_traces)
        lanes = std::max(lanes, named.trace->lanes().size());
    const int line = lineHeight();
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
                const QString name = lineName(m_traces, m_lines.back());
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

void TimelineView::fitScrollBar() {
    const int page = plot().height();
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(lineHeight());
    verticalScrollBar()->setRange(0, std::max(0, m_height - page));
}

QRect TimelineView::plot() const {
    const int names = std::min(m_namesWidth, viewport()->width() / 3);
    return viewport()->rect().adjusted(names, rulerHeight(), 0, 0);
}

int TimelineView::rulerHeight() const {
    return TimelinePainter::rulerHeight(fontMetrics());
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

int TimelineView::lineHeight() const {
    return TimelinePainter::lineHeight(fontMetrics());
}

TimelinePicture TimelineView::picture() const {
    return {.lines = m_lines,
            .plot = plot(),
            .width = viewport()->width(),
            .sharpness = viewport()->devicePixelRatio(),
            .above = verticalScrollBar()->value(),
            .shown = m_shown,
            .selected = m_selected ? rectOf(*m_selected) : QRect(),
            .measured = m_measured};
}

double TimelineView::secondsPerPixel() const {
    return meshreel::secondsPerPixel(plot(), m_shown);
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
    if (const TimelineLine* line = lineOf(place))
        bringLineIntoSight(*line);
}

void TimelineView::frameSelection() {
    TimeSpan span;
    if (m_selected) {
        const TraceSlice& slice = traceOf(m_selected->trace).at(m_selected->slice);
        span = {slice.start, slice.end};
        if (const TimelineLine* line = lineOf(*m_selected))
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
    m_painter->setSearch(text);
    viewport()->update();
}

const TimelineLine* TimelineView::lineOf(const TimelinePlace& place) const {
    const auto found = std::ranges::find_if(m_lines, [&place](const TimelineLine& line) {
        return line.trace == place.trace && line.lane == place.slice.lane && line.row == place.slice.row;
    });
    return found == m_lines.end() ? nullptr : &*found;
}

void TimelineView::bringLineIntoSight(const TimelineLine& line) {
    const int height = lineHeight();
    const int above = verticalScrollBar()->value();
    if (line.top < above)
        verticalScrollBar()->setValue(line.top);
    else if (line.top + height > above + plot().height())
        verticalScrollBar()->setValue(line.top + height - plot().height());
}

QRect TimelineView::rectOf(const TimelinePlace& place) const {
    const TimelineLine* line = lineOf(place);
    if (line == nullptr)
        return {};
    const TraceSlice& slice = traceOf(place.trace).at(place.slice);
    const QRect area = plot();
    const double left = std::clamp(xOf(area, m_shown, slice.start), area.left() - 1.0, area.right() + 2.0);
    const double right = std::clamp(xOf(area, m_shown, slice.end), area.left() - 1.0, area.right() + 2.0);
    const QRect whole(static_cast<int>(std::floor(left)),
                      area.top() + line->top - verticalScrollBar()->value(),
                      std::max(1, static_cast<int>(std::floor(right) - std::floor(left))),
                      lineHeight() - TimelinePainter::rowGap);
    return whole.intersected(area);
}

std::optional<TimelinePlace> TimelineView::placeAt(const QPoint& point) const {
    const QRect area = plot();
    if (!area.contains(point) || m_traces.empty())
        return std::nullopt;
    const int y = point.y() - area.top() + verticalScrollBar()->value();
    const int height = lineHeight();
    for (const TimelineLine& line : m_lines) {
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
        layOut();
        m_painter->setSearch(m_search);
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
    m_painter->paint(painter, picture());
    paintFocus(painter, *this);
}

}  // namespace meshreel

#include "moc_timeline_view.cpp"
