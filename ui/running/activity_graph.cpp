// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/activity_graph.h"

#include <sys/resource.h>

#include <QCoreApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineSeries>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QPen>
#include <QToolTip>
#include <QValueAxis>
#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/runs/records/data_table.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr double microsecondsPerSecond = 1e6;

double secondsOf(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / microsecondsPerSecond;
}

}  // namespace

void ActivitySamples::clear() {
    m_samples.clear();
    m_hasMark = false;
}

void ActivitySamples::add(double seconds, double cpuSeconds, std::uint64_t bytes) {
    if (m_hasMark && seconds > m_lastSeconds)
        m_samples.push_back({.seconds = seconds,
                             .busyCpus = (cpuSeconds - m_lastCpuSeconds) / (seconds - m_lastSeconds),
                             .bytes = bytes});
    m_hasMark = true;
    m_lastSeconds = seconds;
    m_lastCpuSeconds = cpuSeconds;
    if (m_samples.size() > mostSamples)
        thin();
}

void ActivitySamples::thin() {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < m_samples.size(); i += 2)
        m_samples[kept++] = m_samples[i];
    m_samples.resize(kept);
}

double processCpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
}

namespace {

struct ActivitySheet {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ActivitySheet)
};

constexpr double sheetLineWidth = 2.0;

QValueAxis* makeAxis(QChart* chart, const QString& title, Qt::Alignment side) {
    auto* axis = new QValueAxis(chart);
    axis->setTitleText(title);
    chart->addAxis(axis, side);
    return axis;
}

std::unique_ptr<QChart> drawActivity(const std::vector<ActivitySample>& samples, int cpus) {
    auto chart = std::make_unique<QChart>();
    auto* time = makeAxis(chart.get(), ActivitySheet::tr("Seconds of the run"), Qt::AlignBottom);
    auto* processors = makeAxis(chart.get(), ActivitySheet::tr("Busy processors"), Qt::AlignLeft);
    auto* memory = makeAxis(chart.get(), ActivitySheet::tr("Memory in GiB"), Qt::AlignRight);
    const auto add = [&](QValueAxis* axis, int color, double most, const auto& valueOf) {
        auto* line = new QLineSeries(chart.get());
        for (const ActivitySample& sample : samples) {
            const double value = valueOf(sample);
            line->append(sample.seconds, value);
            most = std::max(most, value);
        }
        line->setName(axis->titleText());
        line->setPen(QPen(ChartStyle::series(color), sheetLineWidth));
        chart->addSeries(line);
        line->attachAxis(time);
        line->attachAxis(axis);
        setTicks(axis, 0, most);
    };
    add(processors, 0, cpus, [](const ActivitySample& sample) { return sample.busyCpus; });
    add(memory, 1, 0,
        [](const ActivitySample& sample) { return static_cast<double>(sample.bytes) / gibibyte; });
    setTicks(time, 0, samples.back().seconds);
    ChartStyle::print().applyTo(*chart);
    memory->setGridLineVisible(false);
    return chart;
}

}  // namespace

ChartSheet activitySheet(const std::vector<ActivitySample>& samples, int cpus) {
    if (samples.empty())
        throw Error(ErrorKind::Project, ActivitySheet::tr("Nothing was measured yet").toStdString(), {},
                    ActivitySheet::tr("Run something first").toStdString());
    DataTable numbers{.columns = {"seconds", "busy_processors", "memory_bytes"}, .rows = {}};
    for (const ActivitySample& sample : samples)
        numbers.rows.push_back({sample.seconds, sample.busyCpus, static_cast<std::int64_t>(sample.bytes)});
    return {.draw = [samples, cpus] { return drawActivity(samples, cpus); }, .numbers = std::move(numbers)};
}

namespace {

constexpr double graphLineWidth = 1.6;
constexpr int fillAlpha = 60;
constexpr int plotHeight = 48;
constexpr int leastGraphWidth = 160;

}  // namespace

ActivityGraph::ActivityGraph(QString title, Text text, QWidget* parent)
    : QWidget(parent), m_title(std::move(title)), m_text(std::move(text)) {
    setAccessibleName(m_title);
    setWhatsThis(tr("The arrow keys, Home and End go from moment to moment, Escape hides the values."));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ActivityGraph::setPoints(std::vector<QPointF> points, double limit) {
    m_points = std::move(points);
    m_limit = limit;
    if (m_told >= static_cast<int>(m_points.size()))
        tellNothing();
    if (m_told < 0)
        setAccessibleDescription(valueText());
    update();
}

QString ActivityGraph::toText(QPointF point) const {
    return tr("%1 after %2 s", "value, seconds")
        .arg(m_text(point.y()), QLocale().toString(point.x(), 'f', 0));
}

QString ActivityGraph::toldText() const {
    return m_told < 0 ? QString() : toText(m_points[static_cast<std::size_t>(m_told)]);
}

void ActivityGraph::tell(int point) {
    m_told = std::clamp(point, 0, static_cast<int>(m_points.size()) - 1);
    setAccessibleDescription(toldText());
    const QPointF place = placeOf(m_points[static_cast<std::size_t>(m_told)]);
    QToolTip::showText(mapToGlobal(place.toPoint()), toldText(), this);
    update();
}

void ActivityGraph::tellNothing() {
    m_told = -1;
    setAccessibleDescription(valueText());
    QToolTip::hideText();
    update();
}

QString ActivityGraph::valueText() const {
    if (m_points.empty())
        return m_title;
    return tr("%1: %2 of %3", "quantity, its value, the most there can be")
        .arg(m_title, m_text(m_points.back().y()), m_text(m_limit));
}

QString ActivityGraph::emptyText() {
    return tr("Appears during a run");
}

QSize ActivityGraph::sizeHint() const {
    return {2 * leastGraphWidth, fontMetrics().lineSpacing() + tightSpacing + plotHeight};
}

QSize ActivityGraph::minimumSizeHint() const {
    return {leastGraphWidth, sizeHint().height()};
}

bool ActivityGraph::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    // Shown whole when a narrow graph has no room for it.
    const QString shown = m_points.empty() ? emptyText() : valueText();
    if (m_points.empty() || help->pos().y() < plot().top()) {
        QToolTip::showText(help->globalPos(),
                           m_title + QLatin1Char('\n') + shown + QLatin1Char('\n') + toolTip(), this);
        return true;
    }
    const auto nearest = std::ranges::min_element(
        m_points, {}, [&](const QPointF& point) { return std::abs(placeOf(point).x() - help->pos().x()); });
    QToolTip::showText(help->globalPos(), toText(*nearest), this);
    return true;
}

void ActivityGraph::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(m_points.size()) - 1;
    const bool isTelling = m_told >= 0;
    if (last < 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left:
            return tell(isTelling ? m_told - 1 : last);
        case Qt::Key_Right:
            return tell(isTelling ? m_told + 1 : 0);
        case Qt::Key_Home:
            return tell(0);
        case Qt::Key_End:
            return tell(last);
        case Qt::Key_Escape:
            if (isTelling)
                return tellNothing();
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void ActivityGraph::focusOutEvent(QFocusEvent* event) {
    tellNothing();
    QWidget::focusOutEvent(event);
}

QRectF ActivityGraph::plot() const {
    return QRectF(rect()).adjusted(0, fontMetrics().lineSpacing() + tightSpacing, -1, -1);
}

double ActivityGraph::top() const {
    double most = m_limit;
    for (const QPointF& point : m_points)
        most = std::max(most, point.y());
    return most;
}

QPointF ActivityGraph::placeOf(QPointF point) const {
    const QRectF area = plot();
    const double from = m_points.front().x();
    const double span = std::max(1.0, m_points.back().x() - from);
    return {area.left() + (point.x() - from) / span * area.width(),
            area.bottom() - point.y() / top() * area.height()};
}

void ActivityGraph::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRectF(0, 0, width(), fontMetrics().lineSpacing()), Qt::AlignLeft | Qt::AlignVCenter,
                     valueText());
    const QRectF area = plot();
    painter.fillRect(area, palette().color(QPalette::Base));
    if (m_points.size() > 1) {
        QPainterPath line(placeOf(m_points.front()));
        for (const QPointF& point : m_points)
            line.lineTo(placeOf(point));
        QPainterPath ground = line;
        ground.lineTo(area.bottomRight());
        ground.lineTo(area.bottomLeft());
        QColor fill = palette().color(QPalette::Highlight);
        painter.setPen(QPen(fill, graphLineWidth));
        fill.setAlpha(fillAlpha);
        painter.fillPath(ground, fill);
        painter.drawPath(line);
    }
    if (m_points.empty()) {
        painter.setPen(mutedColor(palette()));
        painter.drawText(area, Qt::AlignCenter, emptyText());
    }
    painter.setPen(palette().color(QPalette::Mid));
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.drawRect(area);
    if (m_told >= 0) {
        const double x = placeOf(m_points[static_cast<std::size_t>(m_told)]).x();
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    }
    paintFocus(painter, *this);
}

}  // namespace meshreel

#include "moc_activity_graph.cpp"
