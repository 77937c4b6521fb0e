// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/run_copies.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <algorithm>

#include "engine/runs/records/run_analysis.h"
#include "engine/runs/records/run_record.h"

namespace meshreel {

namespace {

struct RunCopies {
    Q_DECLARE_TR_FUNCTIONS(meshreel::RunCopies)
};

}  // namespace

QString copyTimingSummaries(std::span<const RunRecord> runs) {
    const std::string text = runSummaries(runs);
    if (text.empty())
        return RunCopies::tr("None of these runs is finished: there is no timing summary to copy.");
    QGuiApplication::clipboard()->setText(QString::fromStdString(text));
    const auto copied =
        std::ranges::count_if(runs, [](const RunRecord& run) { return run.timings.has_value(); });
    return RunCopies::tr("Copied %n timing summaries", nullptr, static_cast<int>(copied));
}

QString copyBestConfigs(std::span<const RunRecord> runs) {
    const DataTable best = bestConfigs(runs);
    if (best.rows.empty())
        return RunCopies::tr("None of these runs finished a step: there is no configuration to copy.");
    QGuiApplication::clipboard()->setText(QString::fromStdString(markdownOf(best)));
    return RunCopies::tr("Copied %n configurations as a Markdown table", nullptr,
                         static_cast<int>(best.rows.size()));
}

}  // namespace meshreel
