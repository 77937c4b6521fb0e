// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/memory_chart.h"

#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QCoreApplication>
#include <QValueAxis>
#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "ui/charts/chart_axes.h"

namespace meshreel {

namespace {

constexpr double gibibyte = 1 << 30;
constexpr double mebibyte = 1 << 20;
constexpr double barShare = 0.75;     ///< of a phase's width
constexpr float planOpacity = 0.35F;  ///< beside what was held

struct PhaseTitle {
    std::string_view phase;
    const char* title;  ///< context "RunCharts"
};

constexpr std::array phases{
    PhaseTitle{"Load", QT_TRANSLATE_NOOP("RunCharts", "Load")},
    PhaseTitle{"Compile", QT_TRANSLATE_NOOP("RunCharts", "Compile")},
    PhaseTitle{"Conditioning", QT_TRANSLATE_NOOP("RunCharts", "Conditioning")},
    PhaseTitle{"Denoise", QT_TRANSLATE_NOOP("RunCharts", "Denoising")},
    PhaseTitle{"Decode", QT_TRANSLATE_NOOP("RunCharts", "VAE decoding")},
};

std::uint64_t bytesOf(const RunRecord& run, std::string_view phase, std::uint64_t PhaseMemoryRecord::*bytes) {
    const auto found = std::ranges::find(run.memory, phase, &PhaseMemoryRecord::phase);
    return found == run.memory.end() ? 0 : (*found).*bytes;
}

/// A bar a phase.
QBarSet* barsOf(const RunRecord& run, const QString& title, std::uint64_t PhaseMemoryRecord::*bytes,
                const QBrush& brush, double unit, QBarSeries* series) {
    auto* set = new QBarSet(title, series);
    set->setBrush(brush);
    set->setBorderColor(Qt::transparent);
    for (const PhaseTitle& phase : phases)
        set->append(static_cast<double>(bytesOf(run, phase.phase, bytes)) / unit);
    series->append(set);
    return set;
}

QString titleOf(const char* what, const RunRecord& run, bool several) {
    const QString title = QCoreApplication::translate("RunCharts", what);
    return several ? QStringLiteral("%1: %2").arg(QString::fromStdString(run.name), title) : title;
}

std::uint64_t highestOf(const std::vector<RunRecord>& runs) {
    std::uint64_t bytes = 0;
    for (const RunRecord& run : runs)
        for (const PhaseMemoryRecord& phase : run.memory)
            bytes = std::max({bytes, phase.planned, phase.held});
    return bytes;
}

std::unique_ptr<QChart> drawMemory(const std::vector<RunRecord>& runs) {
    auto chart = std::make_unique<QChart>();
    const auto highest = static_cast<double>(highestOf(runs));
    const bool small = highest < gibibyte;
    const double unit = small ? mebibyte : gibibyte;
    auto* series = new QBarSeries(chart.get());
    series->setBarWidth(barShare);
    for (int index = 0; const RunRecord& run : runs) {
        const QBrush held = ChartStyle::seriesBrush(index++);
        QColor paler = held.color();
        paler.setAlphaF(planOpacity);
        const QBrush planned(paler, held.style());
        const bool several = runs.size() > 1;
        barsOf(run, titleOf(QT_TRANSLATE_NOOP("RunCharts", "Planned"), run, several),
               &PhaseMemoryRecord::planned, planned, unit, series);
        barsOf(run, titleOf(QT_TRANSLATE_NOOP("RunCharts", "Held at most"), run, several),
               &PhaseMemoryRecord::held, held, unit, series);
    }
    auto* names = new QBarCategoryAxis(chart.get());
    for (const PhaseTitle& phase : phases)
        names->append(QCoreApplication::translate("RunCharts", phase.title));
    auto* bytes = new QValueAxis(chart.get());
    bytes->setTitleText(small ? QStringLiteral("MiB") : QStringLiteral("GiB"));
    chart->addSeries(series);
    chart->addAxis(names, Qt::AlignBottom);
    chart->addAxis(bytes, Qt::AlignLeft);
    series->attachAxis(names);
    series->attachAxis(bytes);
    setTicks(bytes, 0, highest / unit);
    ChartStyle::print().applyTo(*chart);
    names->setGridLineVisible(false);
    return chart;
}

}  // namespace

ChartSheet memorySheet(const std::vector<RunRecord>& runs) {
    std::vector<RunRecord> measured;
    std::ranges::copy_if(runs, std::back_inserter(measured),
                         [](const RunRecord& run) { return !run.memory.empty(); });
    if (measured.empty())
        throw Error(ErrorKind::Project, sentence("None of these runs recorded its memory"), runs.front().name,
                    sentence("Name finished runs"));
    DataTable numbers{.columns = {"run", "phase", "planned_bytes", "peak_bytes", "mapped_file_bytes"},
                      .rows = {}};
    for (const RunRecord& run : measured)
        for (const PhaseMemoryRecord& phase : run.memory)
            numbers.rows.push_back({run.name, phase.phase, static_cast<std::int64_t>(phase.planned),
                                    static_cast<std::int64_t>(phase.held),
                                    static_cast<std::int64_t>(phase.mappedFiles)});
    return {.draw = [measured] { return drawMemory(measured); }, .numbers = std::move(numbers)};
}

}  // namespace meshreel
