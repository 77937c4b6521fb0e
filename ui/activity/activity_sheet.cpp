// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/activity/activity_sheet.h"

#include <QCoreApplication>
#include <QLineSeries>
#include <QPen>
#include <QValueAxis>
#include <algorithm>

#include "engine/base/error.h"
#include "ui/charts/chart_axes.h"

namespace meshreel {

namespace {

struct ActivitySheet {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ActivitySheet)
};

constexpr double sheetLineWidth = 2.0;
constexpr double gibibyte = 1 << 30;

QValueAxis* axisOf(QChart* chart, const QString& title, Qt::Alignment side) {
    auto* axis = new QValueAxis(chart);
    axis->setTitleText(title);
    chart->addAxis(axis, side);
    return axis;
}

std::unique_ptr<QChart> drawActivity(const std::vector<ActivitySample>& samples, int cpus) {
    auto chart = std::make_unique<QChart>();
    auto* time = axisOf(chart.get(), ActivitySheet::tr("Seconds of the run"), Qt::AlignBottom);
    auto* processors = axisOf(chart.get(), ActivitySheet::tr("Busy processors"), Qt::AlignLeft);
    auto* memory = axisOf(chart.get(), ActivitySheet::tr("Memory in GiB"), Qt::AlignRight);
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

}  // namespace meshreel
