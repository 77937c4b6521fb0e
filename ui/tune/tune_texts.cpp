// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/tune_texts.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

#include "ui/models/key_texts.h"
#include "ui/models/run_texts.h"

namespace meshreel {

namespace {

struct TuneTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::TuneTexts)
};

constexpr double percent = 100;

QString number(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}

/// "block_q 1,024 · block_kv 512: 12.3 ms".
QString trialText(const TileTrial& trial) {
    return TuneTexts::tr("block_q %1 · block_kv %2: %3 ms", "sizes and time")
        .arg(number(trial.blocks.blockQ), number(trial.blocks.blockKv),
             QLocale().toString(trial.mean() * millisecondsPerSecond, 'f', 2));
}

bool hasRun(const TileTrial& trial) {
    return trial.status == TrialStatus::Ok && !trial.seconds.empty();
}

QString failuresText(const std::vector<TileTrial>& trials) {
    const auto failed = static_cast<int>(
        std::ranges::count_if(trials, [](const TileTrial& trial) { return !hasRun(trial); }));
    return failed == 0 ? QString() : TuneTexts::tr("%n choices did not run.", nullptr, failed);
}

}  // namespace

QString taskText(const TuneTask& task) {
    return TuneTexts::tr("%1: %2 queries × %3 keys, %n choices", "mode, numbers",
                         static_cast<int>(task.choices))
        .arg(task.label, number(task.sequence.queries), number(task.sequence.keys));
}

QString progressText(const TuneTask& task, const TuneProgress& progress, double secondsSinceBegin) {
    const double each =
        secondsSinceBegin / static_cast<double>(std::max<std::size_t>(1, progress.passesDone));
    const auto left = static_cast<double>(task.passes - std::min(task.passes, progress.passesDone));
    return TuneTexts::tr("Pass %1 of %2, about %3 left", "counts, duration")
        .arg(progress.passesDone)
        .arg(task.passes)
        .arg(durationText(each * left));
}

QString verdictText(const TuneResult& result) {
    const TileTrial* best = result.fastest();
    QStringList sentences;
    if (best == nullptr)
        sentences +=
            TuneTexts::tr("None of these sizes ran: %1").arg(sentenceText(result.trials.front().detail));
    else
        sentences += TuneTexts::tr("Fastest: %1.").arg(trialText(*best));
    if (hasRun(result.now))
        sentences += TuneTexts::tr("The project's own: %1.").arg(trialText(result.now));
    if (best != nullptr && hasRun(result.now))
        sentences +=
            result.isClear()
                ? TuneTexts::tr("%1 % less time.")
                      .arg(QLocale().toString(percent * (1 - best->mean() / result.now.mean()), 'f', 1))
                : TuneTexts::tr("The difference is within the noise: nothing needs to be changed.");
    sentences += failuresText(result.trials);
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

}  // namespace meshreel
