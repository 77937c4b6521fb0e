// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/studies/bench_runner.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/measure/benchmarks/benchmark_run.h"

namespace meshreel {

namespace {

BenchResult measureAndKeep(BenchTask task, const StopToken& stop, const BenchmarkRun::OnRow& tell) {
    BenchResult result{.kept = task.before};
    if (task.request.group == gpuBenchmarks) {
        task.request.gpu = gpuToMeasure(task.gpus);
        if (task.before)
            requireSameGpu(*task.request.gpu, *task.before);
    }
    BenchmarkMeasurement measurement(task.request,
                                     task.before ? task.before->rows : std::vector<BenchmarkRow>());
    bool isNew = false;
    try {
        measurement.measure(stop, [&](const BenchmarkRow& row) {
            isNew = true;
            tell(row);
        });
    } catch (const Error& error) {
        result.wasCancelled = error.kind() == ErrorKind::Cancelled;
        if (!result.wasCancelled)
            result.failure = error.problem();
    } catch (...) {
        result.failure = currentProblem();
    }
    if (!isNew)
        return result;
    // Repeated rows leave the others as they were.
    const bool isWhole =
        task.before ? task.before->isComplete : !result.wasCancelled && !result.failure.has_value();
    nlohmann::ordered_json json = measurement.json();
    if (!isWhole)
        json = incompleteBenchmark(std::move(json));
    const nlohmann::ordered_json dated = datedBenchmark(json);
    result.kept = toKept(dated);
    try {
        std::filesystem::create_directories(task.history.parent_path());
        keepInHistory(task.history, dated, task.before ? task.before->date : std::string());
    } catch (...) {
        result.unkept = currentProblem();
    }
    return result;
}

}  // namespace

BenchRunner::BenchRunner(QObject* parent) : QObject(parent) {}

BenchRunner::~BenchRunner() {
    m_stop.request_stop();
}

void BenchRunner::start(const BenchTask& task) {
    if (m_isBusy)
        return;
    m_stop = {};
    setBusy(true);
    const auto tell = [this](const BenchmarkRow& row) {
        QMetaObject::invokeMethod(
            this, [this, row] { emit measured(row); }, Qt::QueuedConnection);
    };
    m_background.run([task, tell, stop = m_stop.get_token()] { return measureAndKeep(task, stop, tell); },
                     [this](const BenchResult& result) {
                         setBusy(false);
                         emit ended(result);
                     },
                     [this](const Problem& problem) {
                         setBusy(false);
                         emit ended({.failure = problem});
                     });
}

void BenchRunner::cancel() {
    m_stop.request_stop();
}

void BenchRunner::setBusy(bool busy) {
    m_isBusy = busy;
    emit busyChanged(busy);
}

}  // namespace meshreel

#include "moc_bench_runner.cpp"
