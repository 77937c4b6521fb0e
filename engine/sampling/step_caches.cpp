// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/step_caches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

namespace {

const std::array<StepCacheRow, 6>& cacheRows() {
    static const std::array<StepCacheRow, 6> all{{
        {.kind = StepCacheKind::Cfg,
         .key = "use_cfg_cache",
         .name = "CFG cache",
         .needsGuidance = true,
         .needsTwoExperts = false,
         .why = sentence("it makes up the negative prompt's half, and without guidance there is none")},
        {.kind = StepCacheKind::Sen,
         .key = "use_sen_cache",
         .name = "SenCache",
         .needsGuidance = true,
         .needsTwoExperts = true,
         .why = sentence("its limit was measured on guided predictions")},
        {.kind = StepCacheKind::Mag,
         .key = "use_magcache",
         .name = "MagCache",
         .needsGuidance = true,
         .needsTwoExperts = false,
         .why = sentence("its curve follows the prompt's and the negative prompt's half"),
         .keepsBlocks = true},
        {.kind = StepCacheKind::Tea,
         .key = "use_teacache",
         .name = "TeaCache",
         .needsGuidance = false,
         .needsTwoExperts = false,
         .why = {},
         .keepsBlocks = true},
        {.kind = StepCacheKind::FirstBlock,
         .key = "use_first_block_cache",
         .name = "first-block cache",
         .needsGuidance = false,
         .needsTwoExperts = false,
         .why = {},
         .keepsBlocks = true},
        {.kind = StepCacheKind::Easy,
         .key = "use_easycache",
         .name = "EasyCache",
         .needsGuidance = false,
         .needsTwoExperts = false,
         .why = {}},
    }};
    return all;
}

int partOf(int steps, double part) {
    return static_cast<int>(static_cast<double>(steps) * part);
}

CacheSchedule everyStep(const CachedLoop& loop) {
    return CacheSchedule(static_cast<std::size_t>(loop.steps), StepWork::Everything);
}

/// The step after the last one that the CFG cache may shorten.
int cfgEnd(const CachedLoop& loop) {
    constexpr double cfgTallEnd = 0.9;
    if (loop.tall)
        return partOf(loop.steps, cfgTallEnd);
    return loop.steps - (loop.experts == 2 ? 1 : 2);
}

}  // namespace

std::span<const StepCacheRow> stepCaches() {
    return cacheRows();
}

const StepCacheRow& rowOf(StepCacheKind kind) {
    return *std::ranges::find(cacheRows(), kind, &StepCacheRow::kind);
}

// Numbers are MaxDiffusion's.

CacheSchedule cfgCacheSchedule(const CachedLoop& loop) {
    constexpr int cfgInterval = 5;
    CacheSchedule schedule = everyStep(loop);
    const int start = loop.steps / 3;
    const int firstOfExpert = loop.experts == 2 ? loop.boundary() : 0;
    for (int step = start; step < cfgEnd(loop); ++step)
        if (step > firstOfExpert && (step - start) % cfgInterval != 0)
            schedule[static_cast<std::size_t>(step)] = StepWork::PromptOnly;
    return schedule;
}

CfgCacheWeights cfgCacheWeights(const CachedLoop& loop, int step) {
    constexpr double cfgEmphasis = 1.2;
    const int late = loop.experts == 2 ? loop.boundary() : loop.steps / 2;
    return step < late ? CfgCacheWeights{.low = cfgEmphasis, .high = 1}
                       : CfgCacheWeights{.low = 1, .high = cfgEmphasis};
}

CacheSchedule senCacheSchedule(const CachedLoop& loop) {
    constexpr double senFirst = 0.3;
    constexpr double senLast = 0.9;
    CacheSchedule schedule = everyStep(loop);
    const int first = std::max(1, partOf(loop.steps, senFirst));
    for (int step = first; step < partOf(loop.steps, senLast); ++step)
        if (step != loop.boundary())
            schedule[static_cast<std::size_t>(step)] = StepWork::Nothing;
    return schedule;
}

CacheSchedule firstBlockSchedule(const CachedLoop& loop) {
    CacheSchedule schedule = everyStep(loop);
    for (int step = 1; step < loop.steps; ++step)
        if (step != loop.boundary())
            schedule[static_cast<std::size_t>(step)] = StepWork::FirstBlock;
    return schedule;
}

namespace {

// MagCache.

constexpr std::size_t halves = 2;

/// How far one half has drifted since its blocks last ran.
struct Drift {
    double ratio = 1;
    double error = 0;
};

/// The drift of both halves.
struct MagState {
    std::array<Drift, halves> drifts{};
    int inARow = 0;

    /// After one more step without blocks.
    [[nodiscard]] MagState after(std::span<const double> ratios) const {
        MagState next{.drifts = {}, .inARow = inARow + 1};
        for (std::size_t half = 0; half < halves; ++half) {
            next.drifts[half].ratio = drifts[half].ratio * ratios[half];
            next.drifts[half].error = drifts[half].error + std::abs(1.0 - next.drifts[half].ratio);
        }
        return next;
    }

    [[nodiscard]] bool admitted(const MagCacheSettings& settings) const {
        return inARow <= settings.mostInARow && drifts[0].error < settings.threshold &&
               drifts[1].error < settings.threshold;
    }
};

/// Steps that are computed in full whatever the curve says.
bool isRetained(const CachedLoop& loop, double retention, int step) {
    const int boundary = loop.boundary();
    if (step < boundary)
        return step == 0 || step < partOf(boundary, retention);
    return step == boundary || step < boundary + partOf(loop.steps - boundary, retention);
}

}  // namespace

std::vector<double> resampledRatios(std::span<const double> ratios, int steps) {
    const auto wanted = static_cast<std::size_t>(steps);
    if (ratios.size() == halves * wanted)
        return {ratios.begin(), ratios.end()};
    const std::size_t length = ratios.size() / halves;
    std::vector<double> resampled;
    for (std::size_t step = 0; step < wanted; ++step) {
        // nearbyint rounds to even.
        const double place =
            steps == 1
                ? static_cast<double>(length - 1)
                : std::nearbyint(static_cast<double>(step) * (static_cast<double>(length - 1) / (steps - 1)));
        for (std::size_t half = 0; half < halves; ++half)
            resampled.push_back(ratios[halves * static_cast<std::size_t>(place) + half]);
    }
    return resampled;
}

CacheSchedule magCacheSchedule(const CachedLoop& loop, const MagCacheSettings& settings) {
    const std::vector<double> ratios = resampledRatios(settings.ratios, loop.steps);
    CacheSchedule schedule = everyStep(loop);
    MagState state;
    for (int step = 0; step < loop.steps; ++step) {
        const auto index = static_cast<std::size_t>(step);
        if (step == loop.boundary())
            state = {};
        if (isRetained(loop, settings.retention, step))
            continue;
        const MagState next = state.after(std::span(ratios).subspan(halves * index, halves));
        const bool leftOut = next.admitted(settings);
        if (leftOut)
            schedule[index] = StepWork::NoBlocks;
        state = leftOut ? next : MagState{};
    }
    return schedule;
}

namespace {

// TeaCache.

// TeaCache4Wan2.1's coefficients with use_ret_steps, which are of the projected time embedding (the blocks'
// modulation). Thresholds: 0.08 as FastVideo uses it for the 1.3B, for the others the middle of what
// WanVideoWrapper recommends. The first row that fits is taken.
constexpr std::array<TeaCacheRow, 4> publishedRows{{
    {"wan2.1-t2v",
     30,
     0,
     {-5.21862437e+04, 9.23041404e+03, -5.28275948e+02, 1.36987616e+01, -4.99875664e-02},
     0.08},
    {"wan2.1-t2v",
     40,
     0,
     {-3.03318725e+05, 4.90537029e+04, -2.65530556e+03, 5.87365115e+01, -3.15583525e-01},
     0.2},
    {"wan2.1-i2v",
     40,
     720,
     {8.10705460e+03, 2.13393892e+03, -3.72934672e+02, 1.66203073e+01, -4.17769401e-02},
     0.2},
    {"wan2.1-i2v",
     40,
     0,
     {2.57151496e+05, -3.54229917e+04, 1.40286849e+03, -1.35890334e+01, 1.32517977e-01},
     0.2},
}};

double valueOf(std::span<const double> polynomial, double x) {
    double sum = 0;
    for (const double coefficient : polynomial)
        sum = sum * x + coefficient;
    return sum;
}

}  // namespace

const TeaCacheRow* publishedTeaCache(std::string_view family, std::int64_t layers, std::int64_t height) {
    const auto found = std::ranges::find_if(publishedRows, [&](const TeaCacheRow& row) {
        return row.family == family && row.layers == layers && height >= row.fromHeight;
    });
    return found == publishedRows.end() ? nullptr : &*found;
}

CacheSchedule teaCacheCandidates(const CachedLoop& loop) {
    constexpr int fullSteps = 5;  // ret_steps of TeaCache4Wan2.1 with use_ret_steps, in steps
    CacheSchedule schedule(static_cast<std::size_t>(loop.steps), StepWork::NoBlocks);
    std::fill_n(schedule.begin(), std::min(fullSteps, loop.steps), StepWork::Everything);
    if (loop.boundary() < loop.steps)
        schedule[static_cast<std::size_t>(loop.boundary())] = StepWork::Everything;
    return schedule;
}

std::vector<double> relativeChanges(const Tensor& embeddings) {
    const auto width = static_cast<std::size_t>(embeddings.extent(1));
    const std::span<const float> values = embeddings.data<float>();
    std::vector<double> changes(static_cast<std::size_t>(embeddings.extent(0)), 0.0);
    for (std::size_t step = 1; step < changes.size(); ++step) {
        const auto now = values.subspan(step * width, width);
        const auto before = values.subspan((step - 1) * width, width);
        double difference = 0;
        double reference = 0;
        for (std::size_t at = 0; at < width; ++at) {
            difference += std::abs(double{now[at]} - double{before[at]});
            reference += std::abs(double{before[at]});
        }
        changes[step] = difference / reference;
    }
    return changes;
}

CacheSchedule teaCacheSchedule(const CachedLoop& loop, std::span<const double> changes,
                               const TeaCacheSettings& settings) {
    CacheSchedule schedule = teaCacheCandidates(loop);
    double sum = 0;
    for (std::size_t step = 0; step < schedule.size(); ++step) {
        if (schedule[step] != StepWork::Everything)
            sum += valueOf(settings.curve, changes[step]);
        if (schedule[step] == StepWork::Everything || sum >= settings.threshold) {
            schedule[step] = StepWork::Everything;
            sum = 0;
        }
    }
    return schedule;
}

namespace {

// SenCache.

constexpr double timestepsInAll = 1000;

double rootMeanSquareDistance(const Tensor& first, const Tensor& second) {
    const std::span<const float> a = first.data<float>();
    const std::span<const float> b = second.data<float>();
    double sum = 0;
    for (std::size_t at = 0; at < a.size(); ++at) {
        const double difference = double{a[at]} - double{b[at]};
        sum += difference * difference;
    }
    return std::sqrt(sum / static_cast<double>(a.size()));
}

}  // namespace

void SenScore::begin(Tensor latents, double timestep) {
    *this = {};
    m_latents = std::move(latents);
    m_time = timestep / timestepsInAll;
    m_begun = true;
}

bool SenScore::admits(const Tensor& latents, double timestep, double threshold, int mostInARow) {
    m_latentDistance += rootMeanSquareDistance(latents, m_latents);
    m_timeDistance += std::abs(timestep / timestepsInAll - m_time);
    if (m_latentDistance + m_timeDistance > threshold || m_inARow >= mostInARow)
        return false;
    ++m_inARow;
    return true;
}

Tensor SenScore::sums() const {
    return Tensor::from(
        {4}, std::vector<double>{m_time, m_latentDistance, m_timeDistance, static_cast<double>(m_inARow)});
}

void SenScore::restore(Tensor latents, const Tensor& sums) {
    const std::span<const double> values = sums.data<double>();
    m_latents = std::move(latents);
    m_time = values[0];
    m_latentDistance = values[1];
    m_timeDistance = values[2];
    m_inARow = static_cast<int>(values[3]);
    m_begun = true;
}

namespace {

/// A square matrix that keeps the frequencies |k| < `cut` of `length` samples. It is symmetric: taking the
/// low part is a product with it along each axis, without a transform there and back.
class LowBand {
  public:
    LowBand(std::int64_t length, std::int64_t cut) : m_length(static_cast<std::size_t>(length)) {
        std::vector<double> kernel;  // by distance
        for (std::int64_t distance = 0; distance < length; ++distance) {
            double sum = 1;
            for (std::int64_t k = 1; k < cut; ++k)
                sum += 2 * std::cos(2 * std::numbers::pi * static_cast<double>(k * distance) /
                                    static_cast<double>(length));
            kernel.push_back(sum / static_cast<double>(length));
        }
        m_values.resize(m_length * m_length);
        for (std::size_t row = 0; row < m_length; ++row)
            for (std::size_t column = 0; column < m_length; ++column)
                m_values[row * m_length + column] = kernel[row > column ? row - column : column - row];
    }

    [[nodiscard]] double at(std::size_t row, std::size_t column) const {
        return m_values[row * m_length + column];
    }

  private:
    std::size_t m_length;
    std::vector<double> m_values;
};

/// The low-frequency part of planes of one size.
class PlaneLowPass {
  public:
    PlaneLowPass(std::int64_t height, std::int64_t width)
        : m_height(static_cast<std::size_t>(height)),
          m_width(static_cast<std::size_t>(width)),
          m_rows(height, std::max<std::int64_t>(1, height / bandPart)),
          m_columns(width, std::max<std::int64_t>(1, (width / 2 + 1) / bandPart)),
          m_alongRows(m_height * m_width),
          m_low(m_height * m_width) {}

    [[nodiscard]] std::span<const double> of(std::span<const double> plane) {
        std::ranges::fill(m_alongRows, 0.0);
        for (std::size_t y = 0; y < m_height; ++y)
            for (std::size_t from = 0; from < m_width; ++from)
                for (std::size_t x = 0; x < m_width; ++x)
                    m_alongRows[y * m_width + x] += plane[y * m_width + from] * m_columns.at(from, x);
        std::ranges::fill(m_low, 0.0);
        for (std::size_t y = 0; y < m_height; ++y)
            for (std::size_t from = 0; from < m_height; ++from)
                for (std::size_t x = 0; x < m_width; ++x)
                    m_low[y * m_width + x] += m_rows.at(y, from) * m_alongRows[from * m_width + x];
        return m_low;
    }

  private:
    static constexpr std::int64_t bandPart = 4;

    std::size_t m_height;
    std::size_t m_width;
    LowBand m_rows;
    LowBand m_columns;
    std::vector<double> m_alongRows;
    std::vector<double> m_low;
};

}  // namespace

Tensor madeUpUncond(const Tensor& cond, const Tensor& lastCond, const Tensor& lastUncond,
                    const CfgCacheWeights& weights) {
    const std::int64_t height = cond.extent(3);
    const std::int64_t width = cond.extent(4);
    PlaneLowPass lowPass(height, width);
    Tensor made = Tensor::empty(cond.shape());
    const auto plane = static_cast<std::size_t>(height * width);
    const std::span<const float> now = cond.data<float>();
    const std::span<const float> without = lastUncond.data<float>();
    const std::span<const float> with = lastCond.data<float>();
    const std::span<float> out = made.data<float>();
    std::vector<double> difference(plane);
    for (std::size_t first = 0; first < now.size(); first += plane) {
        for (std::size_t at = 0; at < plane; ++at)
            difference[at] = double{without[first + at]} - double{with[first + at]};
        const std::span<const double> low = lowPass.of(difference);
        for (std::size_t at = 0; at < plane; ++at)
            out[first + at] = static_cast<float>(double{now[first + at]} + weights.high * difference[at] +
                                                 (weights.low - weights.high) * low[at]);
    }
    return made;
}

}  // namespace meshreel
