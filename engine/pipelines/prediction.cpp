// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/models/non_finite.h"
#include "engine/models/transformer/batch_videos.h"
#include "engine/planning/video_shape.h"
#include "engine/tensor/joined.h"

namespace meshreel {
namespace {

/// The rows that this device computes, pass by pass: [0, videos) are prompts, behind them the negatives. A
/// device that takes everything takes both halves of a video in one pass, as they differ by their text only.
/// Devices with less to do than others end with passes of no rows.
std::vector<std::vector<std::int64_t>> passesOf(Device& device, std::int64_t videos, bool guided) {
    std::vector<std::vector<std::int64_t>> passes;
    const int sharers = device.batch().size();
    if (sharers == 1) {
        for (std::int64_t video = 0; video < videos; ++video)
            passes.push_back(guided ? std::vector{video, videos + video} : std::vector{video});
        return passes;
    }
    const std::int64_t rows = guided ? 2 * videos : videos;
    const ShardRange own = ownVideos(device, rows);
    for (std::int64_t row = own.begin; row < own.end; ++row)
        passes.push_back({row});
    passes.resize(static_cast<std::size_t>((rows + sharers - 1) / sharers));
    return passes;
}

Shape withRows(const Shape& shape, std::int64_t rows) {
    std::vector<std::int64_t> extents = shape.extents();
    extents.front() = rows;
    return Shape(std::move(extents));
}

/// What a negative half sees of a face: all pixels -1.
std::optional<Tensor> blankFaces(const VisualConditioning& visual) {
    if (!visual.faces)
        return std::nullopt;
    Tensor blank = Tensor::empty(visual.faces->shape());
    std::ranges::fill(blank.data<float>(), -1.0F);
    return blank;
}

}  // namespace

Predictor::Predictor(Device& device, const WanTransformer& transformer, const TextConditioning& text,
                     const VisualConditioning& visual, const Shape& latents, bool promptsAlone)
    : m_device(device),
      m_transformer(transformer),
      m_visual(visual),
      m_videos(text.prompt.extent(0)),
      m_guided(text.negative),
      m_tokens(tokensOf(latents, transformer.config())),
      m_rotary(transformer.rotary(device,
                                  {1, transformer.config().inChannels, latents[2], latents[3], latents[4]})),
      m_blankFaces(blankFaces(visual)),
      m_rounds(roundsOf(text, m_guided)) {
    if (promptsAlone && device.batch().size() > 1)
        m_promptRounds = roundsOf(text, false);
}

std::vector<Predictor::Round> Predictor::roundsOf(const TextConditioning& text, bool guided) const {
    std::vector<Round> rounds;
    for (std::vector<std::int64_t>& rows : passesOf(m_device, m_videos, guided)) {
        Round round{.rows = std::move(rows), .contexts = {}};
        for (const std::int64_t row : round.rows)
            round.contexts.push_back(
                row < m_videos
                    ? contextOf(text.prompt.slice(row, row + 1), m_visual.faces)
                    : contextOf(text.negative->slice(row - m_videos, row - m_videos + 1), m_blankFaces));
        if (round.rows.empty())
            round.contexts.push_back(contextOf(text.prompt.slice(0, 0), m_visual.faces));
        rounds.push_back(std::move(round));
    }
    return rounds;
}

WanContext Predictor::contextOf(const Tensor& text, const std::optional<Tensor>& faces) const {
    std::optional<Tensor> ownFaces;
    if (faces)
        ownFaces = faces->slice(0, text.extent(0));
    std::optional<Tensor> image;
    if (m_visual.imageTokens)
        image = m_visual.imageTokens->slice(0, text.extent(0) == 0 ? 0 : m_visual.imageTokens->extent(0));
    return m_transformer.prepare(m_device,
                                 {.text = text, .image = std::move(image), .faces = std::move(ownFaces)});
}

WanInputs Predictor::inputsAt(const Tensor& latents, double timestep) const {
    const std::int64_t count = latents.extent(0);
    const auto time = static_cast<float>(timestep);
    const auto ofEach = [count](const std::optional<Tensor>& one) {
        return one ? std::optional(repeated(*one, count)) : std::nullopt;
    };
    return {
        .latents = modelLatents(m_visual, latents),
        .timesteps = m_visual.firstFrame
                         ? tokenTimesteps(count, latents.extent(2), m_tokens, time)
                         : Tensor::from({count}, std::vector<float>(static_cast<std::size_t>(count), time)),
        .control = ofEach(m_visual.control),
        .controlScales = m_visual.controlScales,
        .pose = ofEach(m_visual.pose)};
}

bool Predictor::isNegative(std::size_t round, std::size_t context) const {
    const std::vector<std::int64_t>& rows = m_rounds[round].rows;
    return context < rows.size() && rows[context] >= m_videos;
}

Tensor Predictor::gathered(const std::vector<Round>& rounds, const Tensor& latents, double timestep, int step,
                           bool guided, RoundReuses* reuses) const {
    const std::int64_t all = guided ? 2 * m_videos : m_videos;
    const bool alone = m_device.batch().size() == 1;
    const std::int64_t begin = alone ? 0 : ownVideos(m_device, all).begin;
    Tensor own = Tensor::empty(withRows(latents.shape(), alone ? all : ownVideos(m_device, all).size()));
    for (std::size_t index = 0; index < rounds.size(); ++index) {
        const Round& round = rounds[index];
        std::vector<const WanContext*> contexts;
        const std::size_t wanted = guided ? round.contexts.size() : 1;  // the prompt's comes first
        for (const WanContext& context : std::span(round.contexts).first(wanted))
            contexts.push_back(&context);
        const std::int64_t video = round.rows.empty() ? 0 : round.rows.front() % m_videos;
        const WanInputs inputs = inputsAt(latents.slice(video, round.rows.empty() ? 0 : video + 1), timestep);
        std::vector<Tensor> predicted;
        try {
            predicted = m_transformer.forward(m_device, inputs, contexts, m_rotary, {},
                                              reuses == nullptr ? nullptr : &reuses->at(index));
        } catch (const NonFiniteError& failure) {
            throw Error(ErrorKind::Internal, failure.message(),
                        fmt::format("step {}, {}", step + 1, failure.where()), std::string(nonFiniteHint));
        }
        for (std::size_t row = 0; row < std::min(round.rows.size(), contexts.size()); ++row) {
            const std::int64_t place = round.rows[row] - begin;
            std::ranges::copy(std::as_const(predicted[row]).data<float>(),
                              own.slice(place, place + 1).data<float>().begin());
        }
    }
    return gatherVideos(m_device, own, all);
}

Tensor Predictor::predict(const Tensor& latents, double timestep, int step, RoundReuses* reuses) const {
    return gathered(m_rounds, latents, timestep, step, m_guided, reuses);
}

Tensor Predictor::predictPrompts(const Tensor& latents, double timestep, int step) const {
    return gathered(m_promptRounds.empty() ? m_rounds : m_promptRounds, latents, timestep, step, false,
                    nullptr);
}

Tensor Predictor::timeProjections(std::span<const double> timesteps) const {
    Tensor times = Tensor::empty({std::ssize(timesteps)});
    std::ranges::transform(timesteps, times.data<float>().begin(),
                           [](double time) { return static_cast<float>(time); });
    return m_transformer.timeProjections(m_device, times);
}

bool Predictor::isWithin(double threshold, const std::vector<BlockChange>& own) const {
    std::array<float, 2> sums{};
    // Of a negative half nothing: the prompt's decides for both.
    if (!own.empty() && !isNegative(0, 0))
        sums = {own.front().difference, own.front().reference};
    m_device.everyone().allReduceSum(sums);
    return double{sums[0]} <= threshold * double{sums[1]};
}

}  // namespace meshreel
