// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/step_predictor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/models/wan/block_reuse.h"
#include "engine/sampling/easy_cache.h"
#include "engine/sampling/guidance.h"
#include "engine/sampling/step_caches.h"

namespace meshreel {
namespace {

/// What every kind of StepPredictor works with.
struct PredictorContext {
    const Predictor& predictor;
    const StepCachePlan& plan;
    std::span<const double> timesteps;  ///< of the whole loop

    /// Returns the whole prediction of a step: guided if there are negative halves.
    [[nodiscard]] StepPrediction predict(const StepPoint& point, RoundReuses* reuses = nullptr) const {
        const Tensor rows = predictor.predict(point.latents, point.timestep, point.index, reuses);
        const std::int64_t videos = predictor.videos();
        const auto partOf = [&](std::int64_t pass) { return rows.slice(pass * videos, (pass + 1) * videos); };
        std::optional<Tensor> uncond;
        if (predictor.guided())
            uncond = partOf(1);
        std::vector<Tensor> further;
        for (std::int64_t pass = 2; pass < std::ssize(predictor.passes()); ++pass)
            further.push_back(partOf(pass));
        return join(partOf(0), std::move(uncond), std::move(further));
    }

    /// The prediction that all parts give, or the prompts' alone.
    [[nodiscard]] StepPrediction join(Tensor cond, std::optional<Tensor> uncond,
                                      std::vector<Tensor> further = {}) const {
        std::vector<Tensor> parts{cond};
        if (uncond)
            parts.push_back(*uncond);
        parts.insert(parts.end(), further.begin(), further.end());
        StepPrediction prediction;
        prediction.guided = guide(parts, predictor.passes());
        prediction.cond = std::move(cond);
        prediction.uncond = std::move(uncond);
        prediction.further = std::move(further);
        return prediction;
    }
};

/// The tensor of a state by its name; null when there is none.
const Tensor* findTensor(const SchedulerState& state, std::string_view name) {
    const auto found = std::ranges::find(state, name, &SchedulerState::value_type::first);
    return found == state.end() ? nullptr : &found->second;
}

/// Computes every step.
class FullPredictor : public StepPredictor {
  public:
    explicit FullPredictor(const PredictorContext& context) : m_context(context) {}

    [[nodiscard]] StepPrediction predict(const StepPoint& point) override { return m_context.predict(point); }

  private:
    PredictorContext m_context;
};

constexpr const char* condName = "cond";
constexpr const char* uncondName = "uncond";

/// Keeps both halves of the last prediction; where the schedule says so it computes the prompt's only. The
/// prompt's half is kept of every step, the negative one of full steps, as MaxDiffusion does.
class CfgPredictor : public StepPredictor {
  public:
    explicit CfgPredictor(const PredictorContext& context) : m_context(context) {}

    [[nodiscard]] StepPrediction predict(const StepPoint& point) override {
        const bool shortened = m_uncond && m_context.plan.workOf(point.index) == StepWork::PromptOnly;
        StepPrediction prediction = shortened ? fromPrompts(point) : inFull(point);
        m_cond = prediction.cond;
        return prediction;
    }

    [[nodiscard]] SchedulerState state() const override {
        if (!m_uncond)
            return {};
        return {{condName, m_cond}, {uncondName, *m_uncond}};
    }

    void restore(const SchedulerState& state) override {
        const Tensor* cond = findTensor(state, condName);
        const Tensor* uncond = findTensor(state, uncondName);
        if (cond == nullptr || uncond == nullptr)
            return;
        m_cond = *cond;
        m_uncond = *uncond;
    }

  private:
    [[nodiscard]] StepPrediction inFull(const StepPoint& point) {
        StepPrediction prediction = m_context.predict(point);
        m_uncond = prediction.uncond;
        return prediction;
    }

    [[nodiscard]] StepPrediction fromPrompts(const StepPoint& point) const {
        Tensor cond = m_context.predictor.predictPrompts(point.latents, point.timestep, point.index);
        Tensor uncond =
            madeUpUncond(cond, m_cond, *m_uncond, cfgCacheWeights(m_context.plan.loop, point.index));
        StepPrediction prediction = m_context.join(std::move(cond), std::move(uncond));
        prediction.work = StepWork::PromptOnly;
        return prediction;
    }

    PredictorContext m_context;
    Tensor m_cond;
    std::optional<Tensor> m_uncond;
};

constexpr const char* guidedName = "guided";
constexpr const char* latentsName = "latents";
constexpr const char* sumsName = "sums";

/// Keeps the last guided prediction and gives it again while the score admits it.
class SenPredictor : public StepPredictor {
  public:
    explicit SenPredictor(const PredictorContext& context) : m_context(context) {}

    [[nodiscard]] StepPrediction predict(const StepPoint& point) override {
        const StepCachePlan& plan = m_context.plan;
        if (m_score.begun() && plan.workOf(point.index) == StepWork::Nothing &&
            m_score.admits(point.latents, point.timestep, plan.threshold, plan.mostInARow))
            return {.guided = m_guided, .cond = m_guided, .uncond = {}, .work = StepWork::Nothing};
        StepPrediction prediction = m_context.predict(point);
        m_score.begin(point.latents, point.timestep);
        m_guided = prediction.guided;
        return prediction;
    }

    [[nodiscard]] SchedulerState state() const override {
        if (!m_score.begun())
            return {};
        return {{guidedName, m_guided}, {latentsName, m_score.latents()}, {sumsName, m_score.sums()}};
    }

    void restore(const SchedulerState& state) override {
        const Tensor* guided = findTensor(state, guidedName);
        const Tensor* latents = findTensor(state, latentsName);
        const Tensor* sums = findTensor(state, sumsName);
        if (guided == nullptr || latents == nullptr || sums == nullptr)
            return;
        m_guided = *guided;
        m_score.restore(*latents, *sums);
    }

  private:
    PredictorContext m_context;
    SenScore m_score;
    Tensor m_guided;
};

// Of the passes behind the negative prompt's.
constexpr std::array<const char*, 2> furtherNames{"without_subjects", "without_sources"};

/// Keeps what each prediction adds to the latents, and adds it again while EasyCache's score admits it.
class EasyPredictor : public StepPredictor {
  public:
    explicit EasyPredictor(const PredictorContext& context) : m_context(context) {}

    [[nodiscard]] StepPrediction predict(const StepPoint& point) override {
        const StepCachePlan& plan = m_context.plan;
        if (!isInEasyCache(plan.loop, plan.easy, point.index))
            return m_context.predict(point);
        if (m_score.admits(point.latents, plan.threshold))
            return takenOver(point);
        StepPrediction prediction = m_context.predict(point);
        m_score.learn(point.latents, prediction.cond);
        m_cond = difference(prediction.cond, point.latents);
        m_uncond = difference(prediction.uncond, point.latents);
        m_further.clear();
        for (const Tensor& further : prediction.further)
            m_further.push_back(difference(further, point.latents));
        return prediction;
    }

    [[nodiscard]] SchedulerState state() const override {
        SchedulerState state = m_score.state();
        if (state.empty())
            return state;
        state.emplace_back(condName, m_cond);
        if (m_uncond)
            state.emplace_back(uncondName, *m_uncond);
        for (std::size_t index = 0; index < m_further.size(); ++index)
            state.emplace_back(furtherNames.at(index), m_further[index]);
        return state;
    }

    void restore(const SchedulerState& state) override {
        const Tensor* cond = findTensor(state, condName);
        if (cond == nullptr)
            return;
        m_score.restore(state);
        m_cond = *cond;
        if (const Tensor* uncond = findTensor(state, uncondName))
            m_uncond = *uncond;
        m_further.clear();
        for (const char* name : furtherNames)
            if (const Tensor* further = findTensor(state, name))
                m_further.push_back(*further);
    }

  private:
    [[nodiscard]] StepPrediction takenOver(const StepPoint& point) const {
        const auto again = [&](const std::optional<Tensor>& added) {
            return added ? std::optional(sum(*added, point.latents)) : std::nullopt;
        };
        std::vector<Tensor> further;
        for (const Tensor& added : m_further)
            further.push_back(sum(added, point.latents));
        StepPrediction prediction =
            m_context.join(sum(m_cond, point.latents), again(m_uncond), std::move(further));
        prediction.work = StepWork::Nothing;
        return prediction;
    }

    static Tensor difference(const Tensor& from, const Tensor& latents) {
        return combined(from, latents, std::minus<>());
    }
    static std::optional<Tensor> difference(const std::optional<Tensor>& from, const Tensor& latents) {
        return from ? std::optional(difference(*from, latents)) : std::nullopt;
    }
    static Tensor sum(const Tensor& added, const Tensor& latents) {
        return combined(added, latents, std::plus<>());
    }
    template <typename Combine>
    static Tensor combined(const Tensor& one, const Tensor& other, Combine combine) {
        Tensor result = Tensor::empty(one.shape());
        std::ranges::transform(one.data<float>(), other.data<float>(), result.data<float>().begin(), combine);
        return result;
    }

    PredictorContext m_context;
    EasyCacheScore m_score;
    // What the last computed step's predictions were beyond its latents.
    Tensor m_cond;
    std::optional<Tensor> m_uncond;
    std::vector<Tensor> m_further;
};

constexpr const char* referenceName = "reference";
constexpr const char* stepName = "reference_step";

double norm(std::span<const float> values) {
    double sum = 0;
    for (const float value : values)
        sum += double{value} * double{value};
    return std::sqrt(sum);
}

/// Σ over tokens of |now| / |before|, and how many they are.
struct MagRatioSum {
    double ratios = 0;
    double tokens = 0;
};

MagRatioSum sumMagRatios(const Tensor& now, const Tensor& before) {
    const auto width = static_cast<std::size_t>(now.extent(2));
    const std::span<const float> after = now.data<float>();
    const std::span<const float> then = before.data<float>();
    MagRatioSum sum;
    for (std::size_t token = 0; token < after.size(); token += width) {
        const double was = norm(then.subspan(token, width));
        if (was > 0)
            sum.ratios += norm(after.subspan(token, width)) / was;
        sum.tokens += was > 0 ? 1 : 0;
    }
    return sum;
}

/// The plan's schedule, or what follows from the weights.
CacheSchedule makeSchedule(const PredictorContext& context) {
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
          m_schedule(makeSchedule(context)),
          m_maySkip([context](const std::vector<BlockChange>& own) {
              return context.predictor.isWithin(context.plan.threshold, own);
          }),
          m_kept(context.predictor.rounds()) {}

    [[nodiscard]] StepPrediction predict(const StepPoint& point) override {
        const StepWork wanted = m_kept.front().empty() ? StepWork::Everything : workOf(point.index);
        const std::vector<KeptBlocks> before =
            m_context.plan.measuresMagRatios ? m_kept : std::vector<KeptBlocks>();
        RoundReuses reuses;
        for (KeptBlocks& kept : m_kept)
            reuses.push_back({.way = chooseWay(wanted), .kept = kept, .maySkip = m_maySkip});
        StepPrediction prediction = m_context.predict(point, &reuses);
        if (reuses.front().skipped)
            prediction.work = wanted;
        else
            refer(point);
        if (m_context.plan.measuresMagRatios)
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

    [[nodiscard]] std::vector<double> magRatios() const override { return m_magRatios; }

  private:
    [[nodiscard]] StepWork workOf(int step) const {
        return m_schedule.empty() ? StepWork::Everything : m_schedule[static_cast<std::size_t>(step)];
    }

    /// Where passes ask, the first one does, too: it keeps the first block's part by itself.
    [[nodiscard]] BlockReuse::Way chooseWay(StepWork work) const {
        if (m_context.plan.kind == StepCacheKind::FirstBlock)
            return BlockReuse::Way::Ask;
        return work == StepWork::NoBlocks ? BlockReuse::Way::Skip : BlockReuse::Way::Keep;
    }

    void refer(const StepPoint& point) {
        m_reference = point.latents;
        m_step = point.index;
    }

    /// Measures what this device's rows of prompts and negatives show, summed over the mesh.
    void measure(const std::vector<KeptBlocks>& before) {
        constexpr std::size_t halves = 2;
        std::array<float, 2 * halves> sums{};
        for (std::size_t round = 0; round < before.size(); ++round)
            for (std::size_t context = 0; context < before[round].added.size(); ++context) {
                const Tensor& now = m_kept[round].added[context];
                if (now.shape().rank() == 0)
                    continue;  // a pass without videos
                const MagRatioSum own = sumMagRatios(now, before[round].added[context]);
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
        m_magRatios = {mean(0), m_context.predictor.guided() ? mean(1) : mean(0)};
    }

    PredictorContext m_context;
    CacheSchedule m_schedule;
    std::function<bool(const std::vector<BlockChange>&)> m_maySkip;
    std::vector<KeptBlocks> m_kept;  // for each round
    Tensor m_reference;              // the latents that the blocks last ran on
    std::int64_t m_step = 0;
    std::vector<double> m_magRatios;
};

}  // namespace

std::unique_ptr<StepPredictor> makeStepPredictor(const Predictor& predictor, const StepCachePlan& plan,
                                                 std::span<const double> timesteps) {
    const PredictorContext context{predictor, plan, timesteps};
    if (plan.keepsBlocks())
        return std::make_unique<BlockPredictor>(context);
    switch (plan.kind) {
        case StepCacheKind::Cfg:
            return std::make_unique<CfgPredictor>(context);
        case StepCacheKind::Sen:
            return std::make_unique<SenPredictor>(context);
        case StepCacheKind::Easy:
            return std::make_unique<EasyPredictor>(context);
        default:
            return std::make_unique<FullPredictor>(context);
    }
}

bool asksPromptsAlone(const StepCachePlan& plan) {
    return plan.kind == StepCacheKind::Cfg;
}

}  // namespace meshreel
