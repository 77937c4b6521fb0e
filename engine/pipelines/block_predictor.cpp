// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "engine/models/transformer/block_reuse.h"
#include "engine/pipelines/cached_predictors.h"
#include "engine/sampling/caches/tea_cache.h"

namespace meshreel {
namespace {

constexpr const char* referenceName = "reference";
constexpr const char* stepName = "reference_step";

double norm(std::span<const float> values) {
    double sum = 0;
    for (const float value : values)
        sum += double{value} * double{value};
    return std::sqrt(sum);
}

/// Σ over tokens of |now| / |before|, and how many they are.
struct GrowthSum {
    double ratios = 0;
    double tokens = 0;
};

GrowthSum growthOf(const Tensor& now, const Tensor& before) {
    const auto width = static_cast<std::size_t>(now.extent(2));
    const std::span<const float> after = now.data<float>();
    const std::span<const float> then = before.data<float>();
    GrowthSum sum;
    for (std::size_t token = 0; token < after.size(); token += width) {
        const double was = norm(then.subspan(token, width));
        if (was > 0)
            sum.ratios += norm(after.subspan(token, width)) / was;
        sum.tokens += was > 0 ? 1 : 0;
    }
    return sum;
}

/// The plan's, or what follows from the weights.
CacheSchedule scheduleOf(const PredictorContext& context) {
    const StepCachePlan& plan = context.plan;
    if (plan.kind != StepCacheKind::Tea)
        return plan.schedule;
    return teaCacheSchedule(plan.loop, relativeChanges(context.predictor.timeProjections(context.timesteps)),
                            {.curve = plan.curve, .threshold = plan.threshold});
}

/// Keeps what the blocks add to this device's tokens in full steps, and leaves blocks out of others. What is
/// kept is as large as the residual stream; a run that is continued gets it back by computing the last full
/// step again, from its latents.
class BlockPredictor : public StepPredictor {
  public:
    explicit BlockPredictor(const PredictorContext& context)
        : m_context(context),
          m_schedule(scheduleOf(context)),
          m_maySkip([context](const std::vector<BlockChange>& own) {
              return context.predictor.isWithin(context.plan.threshold, own);
          }),
          m_kept(context.predictor.rounds()) {}

    [[nodiscard]] StepPrediction predict(const StepPoint& point) override {
        const StepWork wanted = m_kept.front().empty() ? StepWork::Everything : workOf(point.index);
        const std::vector<KeptBlocks> before =
            m_context.plan.measuresGrowth ? m_kept : std::vector<KeptBlocks>();
        RoundReuses reuses;
        for (KeptBlocks& kept : m_kept)
            reuses.push_back({.way = wayOf(wanted), .kept = kept, .maySkip = m_maySkip});
        StepPrediction prediction =
            m_context.split(m_context.predictor.predict(point.latents, point.timestep, point.index, &reuses));
        if (reuses.front().skipped)
            prediction.work = wanted;
        else
            refer(point);
        if (m_context.plan.measuresGrowth)
            measure(before);
        return prediction;
    }

    [[nodiscard]] SchedulerState state() const override {
        if (m_kept.front().empty())
            return {};
        return {{referenceName, m_reference},
                {stepName, Tensor::from({1}, std::vector<std::int64_t>{m_step})}};
    }

    void restore(const SchedulerState& state) override {
        const Tensor* reference = findTensor(state, referenceName);
        const Tensor* step = findTensor(state, stepName);
        if (reference == nullptr || step == nullptr)
            return;
        const auto index = static_cast<int>(step->data<std::int64_t>().front());
        m_kept.assign(m_kept.size(), {});
        static_cast<void>(predict({.index = index,
                                   .timestep = m_context.timesteps[static_cast<std::size_t>(index)],
                                   .latents = *reference}));
    }

    [[nodiscard]] std::vector<double> growth() const override { return m_growth; }

  private:
    [[nodiscard]] StepWork workOf(int step) const {
        return m_schedule.empty() ? StepWork::Everything : m_schedule[static_cast<std::size_t>(step)];
    }

    /// Where passes ask, the first one does, too: it keeps the first block's part by itself.
    [[nodiscard]] BlockReuse::Way wayOf(StepWork work) const {
        if (m_context.plan.kind == StepCacheKind::FirstBlock)
            return BlockReuse::Way::Ask;
        return work == StepWork::NoBlocks ? BlockReuse::Way::Skip : BlockReuse::Way::Keep;
    }

    void refer(const StepPoint& point) {
        m_reference = point.latents;
        m_step = point.index;
    }

    /// What this device's rows of prompts and negatives tell, summed over the mesh.
    void measure(const std::vector<KeptBlocks>& before) {
        constexpr std::size_t halves = 2;
        std::array<float, 2 * halves> sums{};
        for (std::size_t round = 0; round < before.size(); ++round)
            for (std::size_t context = 0; context < before[round].added.size(); ++context) {
                const Tensor& now = m_kept[round].added[context];
                if (now.shape().rank() == 0)
                    continue;  // a pass without videos
                const GrowthSum own = growthOf(now, before[round].added[context]);
                const std::size_t half = m_context.predictor.isNegative(round, context) ? 1 : 0;
                sums.at(halves * half) += static_cast<float>(own.ratios);
                sums.at(halves * half + 1) += static_cast<float>(own.tokens);
            }
        m_context.predictor.device().everyone().allReduceSum(sums);
        const auto mean = [&sums](std::size_t half) {
            const auto ratios = double{sums.at(halves * half)};
            const auto tokens = double{sums.at(halves * half + 1)};
            return tokens > 0 ? ratios / tokens : 1.0;
        };
        // Without a negative half there is but one curve.
        m_growth = {mean(0), m_context.predictor.guided() ? mean(1) : mean(0)};
    }

    PredictorContext m_context;
    CacheSchedule m_schedule;
    std::function<bool(const std::vector<BlockChange>&)> m_maySkip;
    std::vector<KeptBlocks> m_kept;  // of each round
    Tensor m_reference;              // the latents that the blocks last ran on
    std::int64_t m_step = 0;
    std::vector<double> m_growth;
};

}  // namespace

std::unique_ptr<StepPredictor> makeBlockPredictor(const PredictorContext& context) {
    return std::make_unique<BlockPredictor>(context);
}

}  // namespace meshreel
