// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/estimates/video_shape.h"
#include "engine/models/probe.h"
#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

/// The rows that this device computes, pass by pass: [0, videos) are prompts, behind them those of each other
/// pass of guidance. A device that takes everything takes the first two of a video
/// in one pass, where they `share` it: where they differ by their text only. Devices with less to do than
/// others end with passes of no rows.
std::vector<std::vector<std::int64_t>> passesOf(Device& device, std::int64_t videos, int parts, bool share) {
    std::vector<std::vector<std::int64_t>> passes;
    const int sharers = device.batch().size();
    if (sharers == 1) {
        for (std::int64_t video = 0; video < videos; ++video) {
            passes.push_back({video});
            if (parts > 1 && share)
                passes.back().push_back(videos + video);
            for (std::int64_t part = share ? 2 : 1; part < parts; ++part)
                passes.push_back({part * videos + video});
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

/// What a negative half hears of a sound.
std::optional<Tensor> silence(const std::optional<Tensor>& sound) {
    return sound ? std::optional(Tensor::zeros(sound->shape())) : std::nullopt;
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

/// The block that Animate-2's program leaves out of the negative half: guidance by skipped layers.
constexpr std::int64_t blockLeftOut = 9;

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
      m_passes(parts.passes),
      m_rotaries(listRotaries({1, transformer.config().inChannels,
                               windows ? windows->passFrames() : latents[2], latents[3], latents[4]})),
      m_driving(makeDriving(latents, parts.driving)),
      m_rounds(listRounds(static_cast<int>(m_passes.size()))) {
    if (parts.promptsAlone && (device.batch().size() > 1 ? !m_windows : guided() && !sharesPasses()))
        m_promptRounds = listRounds(1);
    if (hasOwnFaces())
        prepareFaces();
}

std::vector<RotaryTable> Predictor::listRotaries(const Shape& latents) const {
    std::vector<RotaryTable> rotaries;
    for (std::size_t pass = 0; pass < m_passes.size(); ++pass) {
        const std::size_t seen = m_passes[pass].groups;
        const bool isAsBefore = pass > 0 && (!m_visual.leavesOutGroups || seen == m_passes[pass - 1].groups);
        rotaries.push_back(isAsBefore
                               ? rotaries.back()
                               : m_transformer.rotary(m_device, latents, modelGroups(m_visual, 1, seen)));
    }
    return rotaries;
}

std::optional<DrivingStream> Predictor::makeDriving(const Shape& latents,
                                                    const DrivingOptions& options) const {
    if (!m_visual.driving)
        return std::nullopt;
    DrivingVideo video{.latents = *m_visual.driving,
                       .context = m_transformer.prepare(
                           m_device, {.text = m_text.driving.value(), .image = m_visual.drivingTokens})};
    return m_transformer.prepareDriving(
        m_device, std::move(video), latents.with(0, 1).with(1, m_transformer.config().inChannels), options);
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
        contexts.push_back(makeContext(conditionsOf(m_text, video, row), m_visual.faces, m_visual.sound));
    return contexts;
}

Predictor::Round Predictor::makeRound(std::vector<std::int64_t> rows) const {
    Round round{.rows = std::move(rows), .contexts = {}};
    for (const std::int64_t row : round.rows) {
        const std::int64_t video = row % m_videos;
        round.contexts.push_back(
            row < m_videos ? promptContexts(video)
                           : RowContexts{makeContext({.text = m_text.negative->slice(video, video + 1)},
                                                     blankFaces(m_visual.faces), silence(m_visual.sound))});
        if (m_visual.driving && row >= m_videos)
            round.contexts.back().front().skippedBlock = blockLeftOut;
    }
    if (round.rows.empty())
        round.contexts.push_back({makeContext(noConditions(m_text), m_visual.faces, m_visual.sound)});
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
    for (std::vector<std::int64_t>& rows : passesOf(m_device, m_videos, parts, sharesPasses()))
        rounds.push_back(makeRound(std::move(rows)));
    return rounds;
}

CrossAttentionCache Predictor::makeContext(WanConditions conditions, const std::optional<Tensor>& faces,
                                           const std::optional<Tensor>& sound) const {
    const std::int64_t videos = conditions.text.extent(0);
    conditions.facesVary = hasOwnFaces();
    if (faces && !conditions.facesVary)
        conditions.faces = faces->slice(0, videos);
    if (sound)
        conditions.sound = sound->slice(0, videos);
    if (m_visual.imageTokens)
        conditions.image = m_visual.imageTokens->slice(0, videos == 0 ? 0 : m_visual.imageTokens->extent(0));
    return m_transformer.prepare(m_device, conditions);
}

WanInputs Predictor::inputsAt(const Tensor& latents, double timestep) const {
    return inputsWith(m_visual, latents, timestep, m_passes.front());
}

WanInputs Predictor::inputsWith(const VisualConditioning& visual, const Tensor& denoised, double timestep,
                                const GuidedPass& pass) const {
    Tensor latents = modelLatents(visual, denoised, !pass.hearsPrompt);
    const std::int64_t count = latents.extent(0);
    const auto time = static_cast<float>(timestep);
    const auto ofEach = [count](const std::optional<Tensor>& one) {
        return one ? std::optional(repeated(*one, count)) : std::nullopt;
    };
    std::vector<TokenGroup> groups = modelGroups(visual, count, pass.groups);
    std::int64_t groupTokens = 0;
    for (const TokenGroup& group : groups)
        groupTokens += tokenCount(group.latents.shape(), m_transformer.config());
    Tensor timesteps =
        visual.given.empty()
            ? Tensor::from({count}, std::vector<float>(static_cast<std::size_t>(count), time))
            : tokenTimesteps(count, latents.extent(2), tokenCount(latents.shape(), m_transformer.config()),
                             time, visual.given, groupTokens);
    return {.latents = std::move(latents),
            .timesteps = std::move(timesteps),
            .groups = std::move(groups),
            .control = ofEach(visual.control),
            .controlScales = visual.controlScales,
            .pose = ofEach(visual.pose),
            .driving = m_driving && count > 0 ? &*m_driving : nullptr,
            .soundScale = visual.soundScale};
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
    const std::size_t pass = round.rows.empty() ? 0 : passOf(round.rows.front());
    WanInputs inputs = inputsWith(point.visual, ofVideo, point.timestep, m_passes[pass]);
    inputs.step = point.step;
    if (point.window != nullptr)
        inputs.frames = point.window->frames;
    try {
        std::vector<Tensor> predicted =
            m_transformer.forward(m_device, inputs, contexts, m_rotaries[pass], {}, reuse);
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
    return gathered(m_rounds, latents, timestep, step, static_cast<int>(m_passes.size()), reuses);
}

Tensor Predictor::predictPrompts(const Tensor& latents, double timestep, int step) const {
    return gathered(m_promptRounds.empty() ? m_rounds : m_promptRounds, latents, timestep, step, 1, nullptr);
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

}  // namespace meshreel
