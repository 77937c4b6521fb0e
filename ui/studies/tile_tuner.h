// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/stop_token.h"
#include "engine/measure/tile_search.h"
#include "engine/measure/tile_tuning.h"
#include "engine/project/project.h"
#include "engine/runs/records/run_record.h"
#include "engine/timing/verdict.h"
#include "ui/values/background.h"

namespace meshreel {

/// What a search for block sizes is about.
struct TuneTask {
    QString label = {};
    LocalSequence sequence = {};
    std::size_t choices = 0;
    std::size_t passes = 0;  ///< for all choices and the project's own sizes
};

/// How far it is.
struct TuneProgress {
    std::size_t passesDone = 0;
    std::vector<TileTime> tiles;  ///< medians so far of the passes that count
};

/// What it found.
struct TuneResult {
    std::vector<TileSample> trials;
    TileSample now;  ///< the project's own sizes

    [[nodiscard]] const TileSample* fastest() const { return fastestSample(trials); }
    /// Returns what judge() says of the fastest beside the project's own sizes; nothing unless both ran.
    [[nodiscard]] std::optional<Verdict> verdict() const;
};

/// How far the search among a GPU's candidates for a kernel is.
struct KernelProgress {
    TunedKernel kernel;  ///< with the counting passes so far
    std::size_t passesDone = 0;
    std::size_t passes = 0;
};

/// Medians of the choices that ran.
std::vector<TileTime> toTileTimes(const std::vector<TileSample>& trials);

/// Searches block sizes, or a GPU's forms and blocks, on a thread of its own, one search at a time. News come
/// on the thread of this object.
class TileTuner : public QObject {
    Q_OBJECT

  public:
    explicit TileTuner(QObject* parent = nullptr);
    /// Stops the search and waits for it.
    ~TileTuner() override;

    [[nodiscard]] bool isBusy() const { return m_isBusy; }
    /// Does nothing while one is running.
    void start(const Project& project, const TileTuningOptions& options);
    // Time again what an earlier search of this project left within the noise, `options.timing.iterations`
    // times, and give its result with these times added.
    void repeat(const Project& project, const TileTuningOptions& options, const TuneResult& before);
    void repeat(const Project& project, const TileTuningOptions& options,
                const std::vector<TunedKernel>& before);
    void cancel();

  signals:
    void busyChanged(bool busy);
    void planned(const meshreel::TuneTask& task);
    void progressed(const meshreel::TuneProgress& progress);
    /// Replaces both when GPUs compute the project, for one kernel after the other.
    void kernelProgressed(const meshreel::KernelProgress& progress);

    // Exactly one of these ends a search.
    void finished(const meshreel::TuneResult& result);
    void kernelsTimed(const std::vector<meshreel::TunedKernel>& kernels);
    void cancelled();
    void failed(const meshreel::Problem& problem);

  private:
    /// The thread that searches.
    class Search;

    void run(std::shared_ptr<Search> search);
    void setBusy(bool busy);

    bool m_isBusy = false;
    StopSource m_stop;
    Background m_background;
};

}  // namespace meshreel
