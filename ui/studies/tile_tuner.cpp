// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/studies/tile_tuner.h"

#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/planning/run_plan.h"

namespace meshreel {

namespace {

constexpr std::chrono::milliseconds newsPause{250};

/// By what computes the project.
using Found = std::variant<TuneResult, std::vector<TunedKernel>>;

std::optional<Found> unlessCancelled(auto&& search) {
    try {
        return search();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled)
            return std::nullopt;
        throw;
    }
}

}  // namespace

std::vector<TileTime> toTileTimes(const std::vector<TileSample>& trials) {
    std::vector<TileTime> tiles;
    for (const TileSample& trial : trials)
        if (trial.hasRun())
            tiles.push_back({trial.blocks.blockQ, trial.blocks.blockKv, trial.times().median});
    return tiles;
}

std::optional<Verdict> TuneResult::verdict() const {
    const TileSample* best = fastest();
    return best != nullptr && now.hasRun() ? std::optional(judgeFastest(*best, now, trials.size()))
                                           : std::nullopt;
}

namespace {

void addSeconds(TileSample& sample, const TileSample& more) {
    sample.seconds.insert(sample.seconds.end(), more.seconds.begin(), more.seconds.end());
}

}  // namespace

class TileTuner::Search {
  public:
    /// `before`: what is to be repeated; nothing for a new search.
    Search(TileTuner& tuner, Project project, const TileTuningOptions& options, std::optional<Found> before)
        : m_tuner(tuner), m_project(std::move(project)), m_options(options), m_before(std::move(before)) {}

    void setStop(StopToken stop) { m_stop = std::move(stop); }

    Found run() {
        const PlanPtr made = planTuning(m_project);
        const RunPlan& plan = *made;
        if (!plan.placement.gpus.empty())
            return tuneGpus(
                plan, m_options.timing, m_stop, {},
                [this](const TunedKernel& kernel, std::size_t index, double seconds) {
                    addPass(kernel, index, seconds);
                },
                kernelsBefore());
        if (m_before)
            return repeatOnCpu(plan, std::get<TuneResult>(*m_before));
        return runOnCpu(plan, planTiles(plan, m_options));
    }

  private:
    using Clock = std::chrono::steady_clock;

    struct Passes {
        int count = 0;
        std::vector<double> seconds;  ///< of those after the warm-up
    };

    [[nodiscard]] std::vector<TunedKernel> kernelsBefore() const {
        return m_before ? std::get<std::vector<TunedKernel>>(*m_before) : std::vector<TunedKernel>();
    }

    [[nodiscard]] std::size_t turns() const {
        return static_cast<std::size_t>(m_options.timing.warmUp + m_options.timing.iterations);
    }

    /// The fastest sizes and the project's own.
    TuneResult repeatOnCpu(const RunPlan& plan, TuneResult result) {
        const auto place = static_cast<std::size_t>(result.fastest() - result.trials.data());
        TileTuningTask task = planTiles(plan, m_options);
        task.choices = {result.trials[place].blocks};
        const TuneResult more = runOnCpu(plan, task);
        addSeconds(result.trials[place], more.trials.front());
        addSeconds(result.now, more.now);
        return result;
    }

    TuneResult runOnCpu(const RunPlan& plan, const TileTuningTask& task) {
        for (const FlashBlockSizes& blocks : task.choices)
            m_passes[{blocks.blockQ, blocks.blockKv}] = {};
        post([news = TuneTask{QString::fromStdString(task.label), task.sequence, task.choices.size(),
                              (task.choices.size() + 1) * turns()}](TileTuner& tuner) {
            emit tuner.planned(news);
        });
        const TileTuning tuning =
            tuneTiles(plan, task, m_options.timing, m_stop, {},
                      [this](const FlashBlockSizes& blocks, double seconds) { add(blocks, seconds); });
        return {.trials = tuning.trials, .now = tuning.now};
    }

    /// Adds a pass of a GPU's candidate.
    void addPass(const TunedKernel& kernel, std::size_t index, double seconds) {
        const bool isNew =
            kernel.kernel != m_kernel.kernel.kernel || kernel.gpu.number != m_kernel.kernel.gpu.number;
        if (isNew) {
            const std::size_t timed = m_before ? 2 : kernel.trials.size();
            m_kernel = {.kernel = kernel, .passesDone = 0, .passes = timed * turns()};
            m_kernelPasses.assign(kernel.trials.size(), 0);
        }
        ++m_kernel.passesDone;
        if (++m_kernelPasses[index] > m_options.timing.warmUp)
            m_kernel.kernel.trials[index].timing.seconds.push_back(seconds);
        if (!isNew && Clock::now() - m_told < newsPause)
            return;
        m_told = Clock::now();
        post([news = m_kernel](TileTuner& tuner) { emit tuner.kernelProgressed(news); });
    }

    void add(const FlashBlockSizes& blocks, double seconds) {
        ++m_done;
        // The project's own sizes are among the passes, and may be no choice.
        const auto found = m_passes.find({blocks.blockQ, blocks.blockKv});
        if (found != m_passes.end() && ++found->second.count > m_options.timing.warmUp)
            found->second.seconds.push_back(seconds);
        if (Clock::now() - m_told < newsPause)
            return;
        m_told = Clock::now();
        post([news = progress()](TileTuner& tuner) { emit tuner.progressed(news); });
    }

    [[nodiscard]] TuneProgress progress() const {
        TuneProgress news{.passesDone = m_done, .tiles = {}};
        for (const auto& [blocks, passes] : m_passes)
            if (passes.count > m_options.timing.warmUp)
                news.tiles.push_back({blocks.first, blocks.second, computeMedian(passes.seconds)});
        return news;
    }

    template <typename News>
    void post(News news) {
        QMetaObject::invokeMethod(
            &m_tuner, [tuner = &m_tuner, news = std::move(news)] { news(*tuner); }, Qt::QueuedConnection);
    }

    TileTuner& m_tuner;
    Project m_project;
    TileTuningOptions m_options;
    std::optional<Found> m_before;
    StopToken m_stop;
    std::map<std::pair<std::int64_t, std::int64_t>, Passes> m_passes;  ///< of each choice
    std::size_t m_done = 0;
    KernelProgress m_kernel;
    std::vector<int> m_kernelPasses;  ///< of each candidate
    Clock::time_point m_told;
};

TileTuner::TileTuner(QObject* parent) : QObject(parent) {}

TileTuner::~TileTuner() {
    m_stop.request_stop();
}

void TileTuner::start(const Project& project, const TileTuningOptions& options) {
    run(std::make_shared<Search>(*this, project, options, std::nullopt));
}

void TileTuner::repeat(const Project& project, const TileTuningOptions& options, const TuneResult& before) {
    run(std::make_shared<Search>(*this, project, options, before));
}

void TileTuner::repeat(const Project& project, const TileTuningOptions& options,
                       const std::vector<TunedKernel>& before) {
    run(std::make_shared<Search>(*this, project, options, before));
}

void TileTuner::run(std::shared_ptr<Search> search) {
    if (m_isBusy)
        return;
    m_stop = {};
    search->setStop(m_stop.get_token());
    setBusy(true);
    m_background.run([search = std::move(search)] { return unlessCancelled([&] { return search->run(); }); },
                     [this](const std::optional<Found>& found) {
                         setBusy(false);
                         if (!found)
                             emit cancelled();
                         else if (const auto* kernels = std::get_if<std::vector<TunedKernel>>(&*found))
                             emit kernelsTimed(*kernels);
                         else
                             emit finished(std::get<TuneResult>(*found));
                     },
                     [this](const Problem& problem) {
                         setBusy(false);
                         emit failed(problem);
                     });
}

void TileTuner::cancel() {
    m_stop.request_stop();
}

void TileTuner::setBusy(bool busy) {
    m_isBusy = busy;
    emit busyChanged(busy);
}

}  // namespace meshreel

#include "moc_tile_tuner.cpp"
