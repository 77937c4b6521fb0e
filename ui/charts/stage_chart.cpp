// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/stage_chart.h"

#include <QBarSet>
#include <QCoreApplication>
#include <QHorizontalStackedBarSeries>
#include <QValueAxis>
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <ranges>

#include "engine/base/error.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/name_axis.h"

namespace meshreel {

namespace {

/// Which summaries have a stage.
enum class StageOf : std::uint8_t { All, Traced, Untraced };

struct Stage {
    const char* title = nullptr;   ///< context "RunCharts"
    const char* column = nullptr;  ///< in the numbers
    double TimingSummary::*seconds = nullptr;
    StageOf of = StageOf::All;
};

constexpr std::array stages{
    Stage{QT_TRANSLATE_NOOP("RunCharts", "Load"), "load", &TimingSummary::load},
    Stage{QT_TRANSLATE_NOOP("RunCharts", "Compile"), "compile", &TimingSummary::compile},
    Stage{QT_TRANSLATE_NOOP("RunCharts", "Conditioning"), "conditioning", &TimingSummary::conditioning,
          StageOf::Traced},
    Stage{QT_TRANSLATE_NOOP("RunCharts", "Denoising"), "denoise", &TimingSummary::denoiseTotal,
          StageOf::Traced},
    Stage{QT_TRANSLATE_NOOP("RunCharts", "VAE decoding"), "decode", &TimingSummary::vaeDecode,
          StageOf::Traced},
    Stage{QT_TRANSLATE_NOOP("RunCharts", "Inference, undivided"), "inference", &TimingSummary::inference,
          StageOf::Untraced},
};

/// Nothing where the run's summary does not tell of the stage.
std::optional<double> secondsOf(const Stage& stage, const RunRecord& run) {
    const bool has = stage.of == StageOf::All || (stage.of == StageOf::Traced) == run.timings->hasTrace;
    return has ? std::optional((*run.timings).*stage.seconds) : std::nullopt;
}

DataCell cellOf(std::optional<double> seconds) {
    return seconds ? DataCell(*seconds) : DataCell();
}

double totalOf(const RunRecord& run) {
    double total = 0;
    for (const Stage& stage : stages)
        total += secondsOf(stage, run).value_or(0);
    return total;
}

// A horizontal bar chart has its first category at the bottom; the first run belongs at the top.
std::unique_ptr<QChart> drawStages(const std::vector<RunRecord>& finished) {
    auto chart = std::make_unique<QChart>();
    auto* bars = new QHorizontalStackedBarSeries(chart.get());
    for (int index = 0; const Stage& stage : stages) {
        const auto has = [&stage](const RunRecord& run) { return secondsOf(stage, run).has_value(); };
        if (stage.of == StageOf::Untraced && std::ranges::none_of(finished, has))
            continue;
        auto* set = new QBarSet(QCoreApplication::translate("RunCharts", stage.title), bars);
        set->setColor(ChartStyle::series(index++));
        set->setBorderColor(Qt::transparent);
        for (const RunRecord& run : std::views::reverse(finished))
            set->append(secondsOf(stage, run).value_or(0));
        bars->append(set);
    }
    chart->addSeries(bars);
    QStringList runNames;
    double most = 0;
    for (const RunRecord& run : std::views::reverse(finished)) {
        runNames += QString::fromStdString(run.name);
        most = std::max(most, totalOf(run));
    }
    auto* names = new NameAxis(runNames, chart.get());
    auto* seconds = new QValueAxis(chart.get());
    seconds->setTitleText(QCoreApplication::translate("RunCharts", "Seconds"));
    chart->addAxis(names, Qt::AlignLeft);
    chart->addAxis(seconds, Qt::AlignBottom);
    bars->attachAxis(names);
    bars->attachAxis(seconds);
    setTicks(seconds, 0, most);
    ChartStyle::print().applyTo(*chart);
    return chart;
}

}  // namespace

ChartSheet stageSheet(const std::vector<RunRecord>& runs) {
    std::vector<RunRecord> finished;
    std::ranges::copy_if(runs, std::back_inserter(finished),
                         [](const RunRecord& run) { return run.timings.has_value(); });
    if (finished.empty())
        throw Error(ErrorKind::Project,
                    sentence("None of these runs is finished, so that no stage was timed"), runs.front().name,
                    sentence("Continue one with meshreel run --resume"));
    DataTable numbers{.columns = {"run"}, .rows = {}};
    for (const Stage& stage : stages)
        numbers.columns.emplace_back(stage.column);
    for (const RunRecord& run : finished) {
        std::vector<DataCell> row{run.name};
        for (const Stage& stage : stages)
            row.push_back(cellOf(secondsOf(stage, run)));
        numbers.rows.push_back(std::move(row));
    }
    return {.draw = [finished] { return drawStages(finished); }, .numbers = std::move(numbers)};
}

}  // namespace meshreel
