// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/roofline_chart.h"

#include <QAbstractAxis>
#include <QChart>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLegend>
#include <QLineSeries>
#include <QLocale>
#include <QLogValueAxis>
#include <QPainter>
#include <QScatterSeries>
#include <QtMath>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/base/units.h"
#include "engine/runs/records/data_table.h"
#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

constexpr double wordsOverSeries = 50;  ///< height in the stack; Qt's series and axes stand below 10
constexpr int outerMargin = 16;
constexpr int headHeight = 52;
constexpr double keyPitch = 1.25;  ///< of the key's lines, in heights of its letters
constexpr double gap = 10;         ///< between the plot and the key, and between parts of the key
constexpr int rateDecimals = 3;
constexpr int directions = 12;  ///< in which a number may stand from its point

QFont scaled(QFont font, double factor) {
    font.setPointSizeF(font.pointSizeF() * factor);
    return font;
}

QFont boldFont() {
    QFont font = rooflineFont();
    font.setBold(true);
    return font;
}

QFont titleFont() {
    return scaled(boldFont(), 1.4);
}

QFont numberFont() {
    return scaled(boldFont(), 0.85);
}

QColor mutedText() {
    return ChartStyle::guide().darker();
}

QString rateOf(const RooflineMark& mark) {
    return QLocale().toString(mark.value.y(), 'f', rateDecimals);
}

bool meets(const QRectF& box, const std::vector<QRectF>& others) {
    return std::ranges::any_of(others, [&box](const QRectF& other) { return box.intersects(other); });
}

void drawDot(QPainter& painter, const QPointF& place, int family) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(ChartStyle::series(family));
    painter.drawEllipse(place, rooflineMarkSize / 2, rooflineMarkSize / 2);
}

/// Returns the nearest place for a number of this size beside its point that covers nothing and stays in the
/// plot; none if there is none near.
QRectF placeBeside(const QPointF& point, const QSizeF& size, const std::vector<QRectF>& taken,
                   const QRectF& plot) {
    constexpr double nearest = 11;
    constexpr double farthest = 60;
    constexpr double step = 4;
    for (double distance = nearest; distance < farthest; distance += step)
        for (int direction = 0; direction < directions; ++direction) {
            const double angle = 2 * M_PI * direction / directions;
            const QPointF middle = point + distance * QPointF(std::cos(angle), -std::sin(angle));
            const QRectF box(middle - QPointF(size.width(), size.height()) / 2, size);
            if (plot.contains(box) && !meets(box, taken))
                return box;
        }
    return {};
}

}  // namespace

QFont rooflineFont() {
    QFont font = ChartStyle::font();
    font.setFamily(QStringLiteral("sans-serif"));
    return font;
}

RooflineWords::RooflineWords(QChart& chart, QString title, QString machine, std::vector<QLineSeries*> roofs,
                             std::vector<RooflineMark> marks)
    : QGraphicsItem(&chart),
      m_chart(chart),
      m_title(std::move(title)),
      m_machine(std::move(machine)),
      m_roofs(std::move(roofs)),
      m_marks(std::move(marks)) {
    setZValue(wordsOverSeries);
    setAcceptedMouseButtons(Qt::NoButton);
    QObject::connect(&chart, &QGraphicsWidget::geometryChanged, &chart, [this] { makeRoom(); });
    makeRoom();
}

void RooflineWords::makeRoom() {
    prepareGeometryChange();
    m_area = QRectF(QPointF(), m_chart.size());
    const double key = keyColumns() * columnWidth() + gap;
    m_chart.setMargins({outerMargin, headHeight, static_cast<int>(key) + outerMargin, outerMargin});
}

double RooflineWords::keyLines() const {
    return static_cast<double>(m_marks.size()) + (m_marks.empty() ? 0 : m_marks.back().family);
}

int RooflineWords::keyColumns() const {
    constexpr double mostColumns = 2;
    const double line = keyPitch * QFontMetricsF(rooflineFont()).height();
    const double height = m_area.height() - headHeight - outerMargin;
    return static_cast<int>(
        std::clamp(std::ceil(keyLines() * line / std::max(height, line)), 1.0, mostColumns));
}

double RooflineWords::columnWidth() const {
    const QFontMetricsF metrics(rooflineFont());
    double names = 0;
    double rates = 0;
    for (const RooflineMark& mark : m_marks) {
        names = std::max(names, metrics.horizontalAdvance(mark.name));
        rates = std::max(rates, metrics.horizontalAdvance(rateOf(mark)));
    }
    const double numbers = QFontMetricsF(boldFont()).horizontalAdvance(QString::number(m_marks.size()));
    return rooflineMarkSize + numbers + names + rates + 5 * gap;
}

void RooflineWords::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/,
                          QWidget* /*widget*/) {
    writeTitle(*painter);
    writeNumbers(*painter, writeRoofs(*painter));
    writeKey(*painter);
}

void RooflineWords::writeTitle(QPainter& painter) const {
    const double left = m_chart.plotArea().left();
    const double titleLine = outerMargin + QFontMetricsF(titleFont()).ascent();
    painter.setPen(ChartStyle::print().text);
    painter.setFont(titleFont());
    painter.drawText(QPointF(left, titleLine), m_title);
    painter.setPen(mutedText());
    painter.setFont(rooflineFont());
    painter.drawText(QPointF(left, titleLine + keyPitch * QFontMetricsF(rooflineFont()).height()), m_machine);
}

std::vector<QRectF> RooflineWords::writeRoofs(QPainter& painter) const {
    const QFontMetricsF metrics(boldFont());
    const QRectF plot = m_chart.plotArea();
    std::vector<QRectF> taken;
    painter.setFont(boldFont());
    painter.setPen(ChartStyle::print().text);
    for (QLineSeries* roof : m_roofs) {
        constexpr double above = 4;
        const double width = metrics.horizontalAdvance(roof->name());
        const double line = m_chart.mapToPosition(roof->points().constLast(), roof).y();
        QRectF box(plot.right() - width - gap, line - above - metrics.height(), width, metrics.height());
        while (meets(box, taken))
            box.translate(-width - gap, 0);
        painter.drawText(box, Qt::AlignCenter, roof->name());
        taken.push_back(box);
    }
    return taken;
}

void RooflineWords::writeNumbers(QPainter& painter, std::vector<QRectF> taken) const {
    const QFontMetricsF metrics(numberFont());
    std::vector<QPointF> places;
    for (const RooflineMark& mark : m_marks) {
        places.push_back(m_chart.mapToPosition(mark.value, m_roofs.front()));
        taken.emplace_back(places.back() - QPointF(rooflineMarkSize, rooflineMarkSize) / 2,
                           QSizeF(rooflineMarkSize, rooflineMarkSize));
    }
    painter.setFont(numberFont());
    for (std::size_t index = 0; index < m_marks.size(); ++index) {
        const QString number = QString::number(index + 1);
        const QRectF box = placeBeside(places[index], {metrics.horizontalAdvance(number), metrics.ascent()},
                                       taken, m_chart.plotArea());
        if (box.isNull())
            continue;
        taken.push_back(box);
        const QLineF leader(places[index], box.center());
        constexpr double beside = 14;
        if (leader.length() > beside) {
            painter.setPen(QPen(ChartStyle::series(m_marks[index].family), 0.6));
            painter.drawLine(leader);
        }
        painter.setPen(ChartStyle::print().text);
        painter.drawText(box, Qt::AlignCenter | Qt::TextDontClip, number);
    }
}

void RooflineWords::writeKey(QPainter& painter) const {
    const QRectF plot = m_chart.plotArea();
    const double usualPitch = keyPitch * QFontMetricsF(rooflineFont()).height();
    const double perColumn = std::ceil(keyLines() / keyColumns());
    const double pitch = std::min(usualPitch, (m_area.bottom() - outerMargin - plot.top()) / perColumn);
    const QFont plain = scaled(rooflineFont(), pitch / usualPitch);
    const QFont bold = scaled(boldFont(), pitch / usualPitch);
    const auto left = [&](double column) { return plot.right() + 2 * gap + column * columnWidth(); };
    const double width = columnWidth() - 2 * gap;
    const double numbers = QFontMetricsF(bold).horizontalAdvance(QString::number(m_marks.size()));
    const auto write = [&](const QRectF& box, Qt::Alignment side, const QString& words) {
        painter.drawText(box, static_cast<int>(side | Qt::AlignVCenter | Qt::TextDontClip), words);
    };

    painter.setFont(rooflineFont());
    painter.setPen(mutedText());
    for (int column = 0; column < keyColumns(); ++column)
        write({left(column), plot.top() - usualPitch, width, usualPitch}, Qt::AlignRight,
              m_chart.axes(Qt::Vertical).constFirst()->titleText());
    for (std::size_t index = 0; index < m_marks.size(); ++index) {
        const RooflineMark& mark = m_marks[index];
        const double place = static_cast<double>(index) + mark.family;
        const QRectF line(left(std::floor(place / perColumn)),
                          plot.top() + std::fmod(place, perColumn) * pitch, width, pitch);
        const QRectF number(line.left() + rooflineMarkSize, line.top(), gap / 2 + numbers, pitch);
        drawDot(painter, {line.left() + rooflineMarkSize / 2, line.center().y()}, mark.family);
        painter.setPen(ChartStyle::print().text);
        painter.setFont(bold);
        write(number, Qt::AlignRight, QString::number(index + 1));
        painter.setFont(plain);
        write({number.right() + gap, line.top(), width, pitch}, Qt::AlignLeft, mark.name);
        write(line, Qt::AlignRight, rateOf(mark));
    }
}

namespace {

constexpr double roomAcross = 2;  ///< factor beyond the outermost value
constexpr double roomUp = 1.5;

/// "linear.1.3b" of "linear.1.3b.ffn_up.7800": what shares a colour.
std::string familyOf(const std::string& name) {
    const std::size_t last = name.rfind('.');
    const std::size_t before = last == std::string::npos || last == 0 ? last : name.rfind('.', last - 1);
    return before == std::string::npos ? name.substr(0, last) : name.substr(0, before);
}

/// Family by family.
std::vector<RooflineMark> toMarks(std::vector<RooflinePoint> points) {
    std::ranges::sort(points, {},
                      [](const RooflinePoint& point) { return std::pair(familyOf(point.name), point.name); });
    std::vector<RooflineMark> marks;
    std::string family;
    for (const RooflinePoint& point : points) {
        const std::string before = std::exchange(family, familyOf(point.name));
        const int index = marks.empty() ? 0 : marks.back().family + (family == before ? 0 : 1);
        marks.push_back({.name = QString::fromStdString(point.name),
                         .value = {point.flopsPerByte, point.flopsPerSecond / tera},
                         .family = index});
    }
    return marks;
}

/// What a roofline chart has room for.
struct RooflineExtent {
    double left = 0;  ///< FLOP/byte
    double right = 0;
    double bottom = 0;  ///< TFLOP/s
    double top = 0;
};

RooflineExtent rooflineExtent(const Roofline& roofline) {
    const auto [nearest, farthest] = std::ranges::minmax(roofline.points, {}, &RooflinePoint::flopsPerByte);
    const auto [slowest, fastest] = std::ranges::minmax(roofline.points, {}, &RooflinePoint::flopsPerSecond);
    const auto [lowest, highest] = std::ranges::minmax(roofline.peaks, {}, &RooflinePeak::flopsPerSecond);
    const double firstRidge = lowest.flopsPerSecond / roofline.bytesPerSecond;
    const double lastRidge = highest.flopsPerSecond / roofline.bytesPerSecond;
    return {.left = std::min(nearest.flopsPerByte, firstRidge) / roomAcross,
            .right = std::max(farthest.flopsPerByte, lastRidge) * roomAcross,
            .bottom = std::min(slowest.flopsPerSecond, lowest.flopsPerSecond / 2) / roomUp / tera,
            .top = std::max(fastest.flopsPerSecond, highest.flopsPerSecond) * roomUp / tera};
}

/// Ticks at powers of ten, or of two if there are few of those.
QLogValueAxis* logAxis(QChart& chart, Qt::Alignment side, const QString& title, double low, double high) {
    constexpr double decadesFrom = 30;
    constexpr double decade = 10;
    constexpr double octave = 2;
    auto* axis = new QLogValueAxis(&chart);
    axis->setTitleText(title);
    axis->setLabelFormat(QStringLiteral("%.6g"));
    axis->setTruncateLabels(false);
    axis->setBase(high / low > decadesFrom ? decade : octave);
    axis->setRange(low, high);
    chart.addAxis(axis, side);
    return axis;
}

void addTo(QChart& chart, QXYSeries* series) {
    chart.addSeries(series);
    const QList<QAbstractAxis*> axes = chart.axes();
    for (QAbstractAxis* axis : axes)
        series->attachAxis(axis);
}

/// min(bandwidth · intensity, peak), as far as it lies in the picture.
QLineSeries* addRoof(QChart& chart, const RooflinePeak& peak, double bytesPerSecond,
                     const RooflineExtent& extent) {
    const double rate = peak.flopsPerSecond / tera;
    const double slope = bytesPerSecond / tera;
    const double ridge = rate / slope;
    const double start = std::clamp(extent.bottom / slope, extent.left, ridge);
    auto* roof = new QLineSeries(&chart);
    roof->setName(QStringLiteral("%1: %2 TFLOP/s")
                      .arg(QString::fromStdString(peak.name), QLocale().toString(rate, 'f', 2)));
    roof->setPen(QPen(ChartStyle::print().text, seriesLineWidth));
    roof->append(start, slope * start);
    roof->append(ridge, slope * ridge);
    roof->append(extent.right, rate);
    addTo(chart, roof);
    return roof;
}

void addMarks(QChart& chart, const std::vector<RooflineMark>& marks) {
    std::map<int, QScatterSeries*> families;
    for (const RooflineMark& mark : marks) {
        QScatterSeries*& series = families[mark.family];
        if (series == nullptr) {
            series = new QScatterSeries(&chart);
            series->setMarkerSize(rooflineMarkSize);
            series->setColor(ChartStyle::series(mark.family));
            series->setBorderColor(Qt::transparent);
            addTo(chart, series);
        }
        series->append(mark.value);
    }
}

std::unique_ptr<QChart> drawRoofline(const Roofline& roofline) {
    auto chart = std::make_unique<ReadableChart>();
    const RooflineExtent extent = rooflineExtent(roofline);
    logAxis(*chart, Qt::AlignBottom,
            QCoreApplication::translate("RunCharts", "FLOP per byte that has to be moved"), extent.left,
            extent.right);
    logAxis(*chart, Qt::AlignLeft, QStringLiteral("TFLOP/s"), extent.bottom, extent.top);
    std::vector<QLineSeries*> roofs;
    for (const RooflinePeak& peak : roofline.peaks)
        roofs.push_back(addRoof(*chart, peak, roofline.bytesPerSecond, extent));
    std::vector<RooflineMark> marks = toMarks(roofline.points);
    addMarks(*chart, marks);
    chart->legend()->hide();
    ChartStyle::print().applyTo(*chart);
    const QList<QAbstractAxis*> axes = chart->axes();
    for (QAbstractAxis* axis : axes) {
        axis->setLabelsFont(rooflineFont());
        axis->setTitleFont(rooflineFont());
    }
    new RooflineWords(  // the chart's child
        *chart, QCoreApplication::translate("RunCharts", "Operations under the machine's limits"),
        QCoreApplication::translate("RunCharts", "%1, memory %2 GB/s")
            .arg(QString::fromStdString(roofline.machine))
            .arg(roofline.bytesPerSecond / giga, 0, 'f', 1),
        std::move(roofs), std::move(marks));
    return chart;
}

DataTable tabulate(const Roofline& roofline) {
    DataTable numbers{.columns = {"kind", "name", "flops_per_byte", "flops_per_second", "bytes_per_second"},
                      .rows = {{"memory", roofline.machine, {}, {}, roofline.bytesPerSecond}}};
    for (const RooflinePeak& peak : roofline.peaks)
        numbers.rows.push_back({"peak", peak.name, {}, peak.flopsPerSecond, {}});
    for (const RooflinePoint& point : roofline.points)
        numbers.rows.push_back({"operation", point.name, point.flopsPerByte, point.flopsPerSecond, {}});
    return numbers;
}

}  // namespace

ChartSheet rooflineSheet(Roofline roofline) {
    std::ranges::sort(roofline.points, {}, &RooflinePoint::name);
    DataTable numbers = tabulate(roofline);
    return {.draw = [roofline = std::move(roofline)] { return drawRoofline(roofline); },
            .numbers = std::move(numbers)};
}

}  // namespace meshreel
