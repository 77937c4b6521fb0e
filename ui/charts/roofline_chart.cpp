// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/roofline_chart.h"

#include <QCoreApplication>
#include <QLegend>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QScatterSeries>
#include <algorithm>
#include <map>
#include <utility>

#include "ui/charts/chart_style.h"
#include "ui/charts/roofline_words.h"

namespace meshreel {

namespace {

constexpr double tera = 1e12;
constexpr double giga = 1e9;
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

/// Ticks at powers of ten, or of two where there are few of those.
QLogValueAxis* logAxis(QChart& chart, Qt::Alignment side, const QString& title, double low, double high) {
    constexpr double decadesFrom = 30;
    constexpr double decade = 10;
    constexpr double octave = 2;
    auto* axis = new QLogValueAxis(&chart);
    axis->setTitleText(title);
    axis->setLabelFormat(QStringLiteral("%g"));
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
    roof->setName(
        QStringLiteral("%1: %2 TFLOP/s").arg(QString::fromStdString(peak.name)).arg(rate, 0, 'f', 2));
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
