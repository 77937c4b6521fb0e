// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/step_predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/estimates/video_shape.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/probe.h"
#include "engine/models/wan/block_reuse.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/sampling/easy_cache.h"
#include "engine/sampling/guidance.h"
#include "engine/sampling/step_caches.h"
#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

/// The rows that this device computes, pass by pass: [0, videos) are prompts, behind them the negatives, and
/// behind those the negatives without subjects. A device that takes everything takes the first two of a video
/// in one pass, as they differ by their text only. Devices with less to do than others end with passes of no
/// rows.
std::vector<std::vector<std::int64_t>> passesOf(Device& device, std::int64_t videos, int parts) {
    std::vector<std::vector<std::int64_t>> passes;
    const int sharers = device.batch().size();
    if (sharers == 1) {
        for (std::int64_t video = 0; video < videos; ++video) {
            passes.push_back(parts > 1 ? std::vector{video, videos + video} : std::vector{video});
            if (parts > 2)
                passes.push_back({2 * videos + video});
        }
        return passes;
    }
    const std::int64_t rows = parts * videos;
    const ShardRange own = ownVideos(device, rows);
    for (std::int64_t row = own.begin; row < own.end; ++row)
        passes.push_back({row});
    passes.resize(static_cast<std::size_t>((rows + sharers - 1) / sharers));
    return passes;
}

/// What a negative half sees of faces: all pixels -1.
std::optional<Tensor> blankFaces(const std::optional<Tensor>& faces) {
    return faces ? std::optional(Tensor::filled(faces->shape(), -1.0F)) : std::nullopt;
}

/// What a prompt's pass of a video hears with one of the texts.
WanConditions conditionsOf(const TextConditioning& text, std::int64_t video, std::int64_t row) {
    WanConditions conditions{.text = text.prompt.slice(row, row + 1)};
    if (!text.timed.empty())
        conditions.timed = text.timed[static_cast<std::size_t>(video)];
    if (text.pushedAway) {
        conditions.negativeText = text.pushedAway->slice(video, video + 1);
        conditions.guidance = text.attentionGuidance;
    }
    return conditions;
}

/// What a pass without videos hears.
WanConditions noConditions(const TextConditioning& text) {
    WanConditions conditions{.text = text.prompt.slice(0, 0)};
    if (text.pushedAway) {
        conditions.negativeText = text.pushedAway->slice(0, 0);
        conditions.guidance = text.attentionGuidance;
    }
    return conditions;
}

}  // namespace

ShardRange TextConditioning::textsOf(std::int64_t video) const {
    if (textsOfVideos.empty())
        return {video, video + 1};
    const auto own = textsOfVideos.begin() + video;
    const std::int64_t first = std::accumulate(textsOfVideos.begin(), own, std::int64_t{0});
    return {first, first + *own};
}

Predictor::Predictor(Device& device, const WanTransformer& transformer, const TextConditioning& text,
                     const VisualConditioning& visual, const Shape& latents, const PredictedParts& parts,
                     const std::optional<ContextWindows>& windows)
    : m_device(device),
      m_transformer(transformer),
      m_text(text),
      m_visual(visual),
      m_windows(windows),
      m_videos(text.videos()),
      m_parts(text.negative ? parts.images ? 3 : 2 : 1),
      m_rotary(
          transformer.rotary(device, {1, transformer.config().inChannels,
                                      windows ? windows->passFrames() : latents[2], latents[3], latents[4]})),
      m_rounds(listRounds(m_parts)) {
    if (parts.promptsAlone && device.batch().size() > 1 && !m_windows)
        m_promptRounds = listRounds(1);
    if (hasOwnFaces())
        prepareFaces();
}

void Predictor::prepareFaces() {
    m_motion = m_transformer.encodeMotion(m_device, *m_visual.faces);
    const std::vector<SharedWindow> first = sharedWindows(*m_windows, 0);
    if (guided()) {
        const Tensor one =
            m_transformer.encodeMotion(m_device, *blankFaces(sliced(*m_visual.faces, frameAxis, 0, 1)));
        const std::vector<Tensor> ofWindow(facesOfWindow(first.front().frames).size(), one);
        const Tensor blank = joined(ofWindow, 1);
        m_blankFaces = m_transformer.prepareFaces(m_device, std::span(&blank, 1)).front();
    }
    if (m_windows->recur())
        m_windowFaces = facesOf(first);
}

std::vector<FaceContext> Predictor::facesOf(const std::vector<SharedWindow>& windows) const {
    if (!hasOwnFaces())
        return {};
    const std::int64_t width = m_motion.extent(2);
    const Tensor clip = m_motion.reshaped({1, m_motion.extent(1), 1, width});
    std::vector<Tensor> motions;
    for (const SharedWindow& window : windows) {
        const WindowFrames faces = facesOfWindow(window.frames);
        motions.push_back(framesOf(clip, faces).reshaped({1, std::ssize(faces), width}));
    }
    return m_transformer.prepareFaces(m_device, motions);
}

Predictor::StepWindows Predictor::windowsOf(int step) const {
    std::vector<SharedWindow> windows = sharedWindows(*m_windows, step);
    std::vector<FaceContext> faces = m_windows->recur() ? m_windowFaces : facesOf(windows);
    return {.windows = std::move(windows), .faces = std::move(faces)};
}

CrossAttentionCache Predictor::seeing(const CrossAttentionCache& context, std::int64_t row,
                                      const FaceContext& faces) const {
    CrossAttentionCache own = context;
    own.faces = row < m_videos ? faces : m_blankFaces;
    return own;
}

Predictor::RowContexts Predictor::promptContexts(std::int64_t video) const {
    const ShardRange rows = m_text.textsOf(video);
    RowContexts contexts;
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
        contexts.push_back(makeContext(conditionsOf(m_text, video, row), m_visual.faces));
    return contexts;
}

Predictor::Round Predictor::makeRound(std::vector<std::int64_t> rows) const {
    Round round{.rows = std::move(rows), .contexts = {}};
    for (const std::int64_t row : round.rows) {
        const std::int64_t video = row % m_videos;
        round.contexts.push_back(
            row < m_videos ? promptContexts(video)
                           : RowContexts{makeContext({.text = m_text.negative->slice(video, video + 1)},
                                                     blankFaces(m_visual.faces))});
    }
    if (round.rows.empty())
        round.contexts.push_back({makeContext(noConditions(m_text), m_visual.faces)});
    return round;
}

std::vector<Predictor::Round> Predictor::listRounds(int parts) const {
    std::vector<Round> rounds;
    if (dealsWindows()) {
        for (std::int64_t row = 0; row < parts * m_videos; ++row)
            rounds.push_back(makeRound({row}));
        rounds.push_back(makeRound({}));
        return rounds;
    }
    for (std::vector<std::int64_t>& rows : passesOf(m_device, m_videos, parts))
        rounds.push_back(makeRound(std::move(rows)));
    return rounds;
}

CrossAttentionCache Predictor::makeContext(WanConditions conditions,
                                           const std::optional<Tensor>& faces) const {
    const std::int64_t videos = conditions.text.extent(0);
    conditions.facesVary = hasOwnFaces();
    if (faces && !conditions.facesVary)
        conditions.faces = faces->slice(0, videos);
    if (m_visual.imageTokens)
        conditions.image = m_visual.imageTokens->slice(0, videos == 0 ? 0 : m_visual.imageTokens->extent(0));
    return m_transformer.prepare(m_device, conditions);
}

WanInputs Predictor::inputsAt(const Tensor& latents, double timestep) const {
    return inputsWith(m_visual, modelLatents(m_visual, latents), timestep);
}

WanInputs Predictor::inputsWith(const VisualConditioning& visual, Tensor latents, double timestep) const {
    const std::int64_t count = latents.extent(0);
    const auto time = static_cast<float>(timestep);
    const auto ofEach = [count](const std::optional<Tensor>& one) {
        return one ? std::optional(repeated(*one, count)) : std::nullopt;
    };
    Tensor timesteps =
        visual.given.empty()
            ? Tensor::from({count}, std::vector<float>(static_cast<std::size_t>(count), time))
            : tokenTimesteps(count, latents.extent(2), tokenCount(latents.shape(), m_transformer.config()),
                             time, visual.given);
    return {.latents = std::move(latents),
            .timesteps = std::move(timesteps),
            .control = ofEach(visual.control),
            .controlScales = visual.controlScales,
            .pose = ofEach(visual.pose)};
}

bool Predictor::isNegative(std::size_t round, std::size_t context) const {
    const std::vector<std::int64_t>& rows = m_rounds[round].rows;
    return context < rows.size() && rows[context] >= m_videos;
}

std::vector<Tensor> Predictor::predictRound(const Round& round, const PassPoint& point, int parts,
                                            BlockReuse* reuse) const {
    std::vector<const CrossAttentionCache*> contexts;
    std::vector<CrossAttentionCache> withFaces;
    const std::size_t wanted = parts > 1 ? round.contexts.size() : 1;  // the prompt's comes first
    withFaces.reserve(wanted);
    for (std::size_t index = 0; index < wanted; ++index) {
        const RowContexts& ofRow = round.contexts[index];
        const CrossAttentionCache& own =
            ofRow[point.window == nullptr ? 0 : point.window->promptOf(ofRow.size())];
        const std::int64_t row = round.rows.empty() ? 0 : round.rows[index];
        contexts.push_back(point.faces == nullptr ? &own
                                                  : &withFaces.emplace_back(seeing(own, row, *point.faces)));
    }
    const std::int64_t video = round.rows.empty() ? 0 : round.rows.front() % m_videos;
    const Tensor ofVideo = point.latents.slice(video, round.rows.empty() ? 0 : video + 1);
    const bool blank = !round.rows.empty() && round.rows.front() >= 2 * m_videos;
    WanInputs inputs = inputsWith(
        point.visual,
        blank ? latentsWithoutSubjects(point.visual, ofVideo) : modelLatents(point.visual, ofVideo),
        point.timestep);
    if (point.window != nullptr)
        inputs.frames = point.window->frames;
    try {
        std::vector<Tensor> predicted =
            m_transformer.forward(m_device, inputs, contexts, m_rotary, {}, reuse);
        predicted.resize(std::min(round.rows.size(), contexts.size()));
        return predicted;
    } catch (const NonFiniteError& failure) {
        throw Error(ErrorKind::Internal, failure.message(),
                    fmt::format("step {}, {}", point.step + 1, failure.where()), std::string(nonFiniteHint));
    }
}

Tensor Predictor::gatheredWindows(const Tensor& latents, double timestep, int step, int parts) const {
    const StepWindows ofStep = windowsOf(step);
    const std::vector<SharedWindow>& windows = ofStep.windows;
    const std::int64_t rows = parts * m_videos;
    const std::int64_t all = rows * std::ssize(windows);
    const ShardRange own = ownVideos(m_device, all);
    const std::int64_t sharers = m_device.batch().size();
    Tensor predictions =
        Tensor::zeros(latents.shape().with(0, own.size()).with(2, std::ssize(windows.front().frames)));
    // As many passes on every device, the last of some without rows: layers are gathered by all together.
    for (std::int64_t pass = 0; pass < (all + sharers - 1) / sharers; ++pass) {
        const bool isOwn = pass < own.size();
        const std::int64_t item = isOwn ? own.begin + pass : 0;
        const std::int64_t row = item / std::ssize(windows);
        const auto index = static_cast<std::size_t>(item % std::ssize(windows));
        const SharedWindow& window = windows[index];
        const VisualConditioning visual = visualOfWindow(m_visual, window.frames, *m_windows);
        const Round& round = isOwn ? m_rounds[static_cast<std::size_t>(row)] : m_rounds.back();
        const std::vector<Tensor> predicted = predictRound(
            round, {visual, framesOf(latents, window.frames), timestep, step, &window, ofStep.facesOf(index)},
            parts, nullptr);
        if (isOwn)
            std::ranges::copy(predicted.front().data<float>(),
                              predictions.slice(pass, pass + 1).data<float>().begin());
    }
    const Tensor gathered = gatherVideos(m_device, predictions, all);
    Tensor fused = Tensor::zeros(latents.shape().with(0, rows));
    for (std::int64_t item = 0; item < all; ++item) {
        const SharedWindow& window = windows[static_cast<std::size_t>(item % std::ssize(windows))];
        const std::int64_t row = item / std::ssize(windows);
        Tensor place = fused.slice(row, row + 1);
        addWindow(place, gathered.slice(item, item + 1), window.frames, window.shares);
    }
    return fused;
}

Tensor Predictor::gathered(const std::vector<Round>& rounds, const Tensor& latents, double timestep, int step,
                           int parts, RoundReuses* reuses) const {
    if (dealsWindows())
        return gatheredWindows(latents, timestep, step, parts);
    const std::int64_t all = parts * m_videos;
    const bool alone = m_device.batch().size() == 1;
    const std::int64_t begin = alone ? 0 : ownVideos(m_device, all).begin;
    Tensor own = Tensor::zeros(latents.shape().with(0, alone ? all : ownVideos(m_device, all).size()));
    const auto predictAll = [&](const std::vector<Round>& passes, const PassPoint& point, const auto& take) {
        for (std::size_t index = 0; index < passes.size(); ++index) {
            const std::vector<std::int64_t>& rows = passes[index].rows;
            const std::vector<Tensor> predicted =
                predictRound(passes[index], point, parts, reuses == nullptr ? nullptr : &reuses->at(index));
            for (std::size_t row = 0; row < predicted.size(); ++row) {
                Tensor place = own.slice(rows[row] - begin, rows[row] - begin + 1);
                take(predicted[row], place);
            }
        }
    };
    if (!m_windows) {
        predictAll(rounds, {m_visual, latents, timestep, step, nullptr, nullptr},
                   [](const Tensor& predicted, Tensor& place) {
                       std::ranges::copy(predicted.data<float>(), place.data<float>().begin());
                   });
        return gatherVideos(m_device, own, all);
    }
    const StepWindows ofStep = windowsOf(step);
    for (std::size_t index = 0; index < ofStep.windows.size(); ++index) {
        const SharedWindow& window = ofStep.windows[index];
        const VisualConditioning visual = visualOfWindow(m_visual, window.frames, *m_windows);
        const Tensor seen = framesOf(latents, window.frames);
        predictAll(rounds, {visual, seen, timestep, step, &window, ofStep.facesOf(index)},
                   [&](const Tensor& predicted, Tensor& place) {
                       addWindow(place, predicted, window.frames, window.shares);
                   });
    }
    return gatherVideos(m_device, own, all);
}

Tensor Predictor::predict(const Tensor& latents, double timestep, int step, RoundReuses* reuses) const {
    return gathered(m_rounds, latents, timestep, step, m_parts, reuses);
}

Tensor Predictor::predictPrompts(const Tensor& latents, double timestep, int step) const {
    const bool apart = m_device.batch().size() > 1 && !m_windows;
    return gathered(apart ? m_promptRounds : m_rounds, latents, timestep, step, 1, nullptr);
}

Tensor Predictor::timeProjections(std::span<const double> timesteps) const {
    Tensor times = Tensor::empty({std::ssize(timesteps)});
    std::ranges::transform(timesteps, times.data<float>().begin(),
                           [](double time) { return static_cast<float>(time); });
    return m_transformer.timeProjections(m_device, times);
}

bool Predictor::isWithin(double threshold, const std::vector<BlockChange>& own) const {
    std::array<float, 2> sums{};
    // A negative half decides nothing: the prompt's decides for both.
    if (!own.empty() && !isNegative(0, 0))
        sums = {own.front().difference, own.front().reference};
    m_device.everyone().allReduceSum(sums);
    return double{sums[0]} <= threshold * double{sums[1]};
}

namespace {

/// What every kind of StepPredictor works with.
struct PredictorContext {
    const Predictor& predictor;
    const StepCachePlan& plan;
    std::span<const double> timesteps;  ///< of the whole loop
    GuidanceScales guidance;

    /// Returns the whole prediction of a step: guided if there are negative halves.
    [[nodiscard]] StepPrediction predict(const StepPoint& point, RoundReuses* reuses = nullptr) const {
        const Tensor rows = predictor.predict(point.latents, point.timestep, point.index, reuses);
        const std::int64_t videos = predictor.videos();
        std::optional<Tensor> uncond;
        if (predictor.guided())
            uncond = rows.slice(videos, 2 * videos);
        std::optional<Tensor> withoutSubjects;
        if (predictor.guidesImages())
            withoutSubjects = rows.slice(2 * videos, 3 * videos);
        return join(rows.slice(0, videos), std::move(uncond), std::move(withoutSubjects));
    }

    /// The prediction that all parts give, or the prompts' alone.
    [[nodiscard]] StepPrediction join(Tensor cond, std::optional<Tensor> uncond,
                                      std::optional<Tensor> withoutSubjects = {}) const {
        StepPrediction prediction;
        if (withoutSubjects)
            prediction.guided = guide(cond, *uncond, *withoutSubjects, guidance.scale, guidance.imageScale);
        else
            prediction.guided = uncond ? guide(cond, *uncond, guidance.scale) : cond;
        prediction.cond = std::move(cond);
        prediction.uncond = std::move(uncond);
        prediction.withoutSubjects = std::move(withoutSubjects);
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

constexpr const char* withoutSubjectsName = "without_subjects";

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
        m_withoutSubjects = difference(prediction.withoutSubjects, point.latents);
        return prediction;
    }

    [[nodiscard]] SchedulerState state() const override {
        SchedulerState state = m_score.state();
        if (state.empty())
            return state;
        state.emplace_back(condName, m_cond);
        if (m_uncond)
            state.emplace_back(uncondName, *m_uncond);
        if (m_withoutSubjects)
            state.emplace_back(withoutSubjectsName, *m_withoutSubjects);
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
        if (const Tensor* withoutSubjects = findTensor(state, withoutSubjectsName))
            m_withoutSubjects = *withoutSubjects;
    }

  private:
    [[nodiscard]] StepPrediction takenOver(const StepPoint& point) const {
        const auto again = [&](const std::optional<Tensor>& added) {
            return added ? std::optional(sum(*added, point.latents)) : std::nullopt;
        };
        StepPrediction prediction =
            m_context.join(sum(m_cond, point.latents), again(m_uncond), again(m_withoutSubjects));
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
    std::optional<Tensor> m_withoutSubjects;
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
                                                 std::span<const double> timesteps,
                                                 const GuidanceScales& guidance) {
    const PredictorContext context{predictor, plan, timesteps, guidance};
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
