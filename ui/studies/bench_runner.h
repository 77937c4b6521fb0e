// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>
#include <optional>

#include "engine/base/problem.h"
#include "engine/base/stop_token.h"
#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/benchmark_measurement.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/project/gpu_choice.h"
#include "ui/values/background.h"

namespace meshreel {

/// What is to be measured, and where it is kept.
struct BenchTask {
    BenchmarkRequest request = {};
    GpuChoice gpus = {};                       ///< of which the group of GPUs takes the first
    std::optional<KeptBenchmark> before = {};  ///< whose wanted rows are measured again and joined to it
    std::filesystem::path history = {};
};

/// What a measurement gave, however it ended.
struct BenchResult {
    std::optional<KeptBenchmark> kept = {};  ///< with what was there before; nothing when no row was measured
    bool wasCancelled = false;
    std::optional<Problem> failure = {};  ///< that ended it
    std::optional<Problem> unkept = {};   ///< why it is in no file
};

/// Measures a group of benchmarks on a thread of its own, one at a time, and keeps what was measured. News
/// come on the thread of this object.
class BenchRunner : public QObject {
    Q_OBJECT

  public:
    explicit BenchRunner(QObject* parent = nullptr);
    /// Stops it and waits for it; what was measured is kept.
    ~BenchRunner() override;

    [[nodiscard]] bool isBusy() const { return m_isBusy; }
    /// Does nothing while one is running.
    void start(const BenchTask& task);
    void cancel();

  signals:
    void busyChanged(bool busy);
    /// Joined to what was there before.
    void measured(const meshreel::BenchmarkRow& row);
    void ended(const meshreel::BenchResult& result);

  private:
    void setBusy(bool busy);

    bool m_isBusy = false;
    StopSource m_stop;
    Background m_background;
};

}  // namespace meshreel
