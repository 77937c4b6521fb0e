// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/step_cache_cases.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/sampling/easy_cache.h"
#include "engine/sampling/guidance.h"
#include "engine/sampling/step_caches.h"
#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

/// The golden's stand-in for a model: 0.7 x + 0.4 sin(10 sigma + x + phase) - 0.2.
Tensor standInVelocity(const Tensor& sample, float sigma, float phase) {
    Tensor velocity = Tensor::empty(sample.shape());
    std::ranges::transform(sample.data<float>(), velocity.data<float>().begin(), [=](float x) {
        return 0.7F * x + 0.4F * std::sin(10.0F * sigma + x + phase) - 0.2F;
    });
    return velocity;
}

Tensor combined(const Tensor& one, const Tensor& other, const std::function<float(float, float)>& combine) {
    Tensor result = Tensor::empty(one.shape());
    std::ranges::transform(one.data<float>(), other.data<float>(), result.data<float>().begin(), combine);
    return result;
}

/// A run of Euler's method whose predictions EasyCache takes over, one condition or two with guidance.
class EasyRun {
  public:
    EasyRun(CachedLoop loop, EasyCacheSettings settings, double guidance)
        : m_loop(std::move(loop)), m_settings(settings), m_guidance(guidance) {}

    [[nodiscard]] Tensor velocity(const Tensor& sample, int step) {
        const bool asks = isInEasyCache(m_loop, m_settings, step);
        m_skipped.push_back(asks && m_score.admits(sample, m_settings.threshold) ? 1 : 0);
        m_compared.push_back(asks ? static_cast<float>(m_score.compared().value_or(-1)) : -1.0F);
        if (m_skipped.back() == 0) {
            const float sigma = m_loop.sigmas[static_cast<std::size_t>(step)];
            m_added.clear();
            for (const float phase : {0.0F, secondPhase}) {
                const Tensor predicted = standInVelocity(sample, sigma, phase);
                if (asks && phase == 0.0F)
                    m_score.learn(sample, predicted);
                m_added.push_back(combined(predicted, sample, std::minus<>()));
            }
        }
        m_rates.push_back(static_cast<float>(m_score.rate().value_or(-1)));
        const Tensor first = combined(m_added[0], sample, std::plus<>());
        return m_guidance == 1 ? first
                               : guide(first, combined(m_added[1], sample, std::plus<>()), m_guidance);
    }

    [[nodiscard]] Tensor skipped() const { return vectorOf(m_skipped); }
    [[nodiscard]] Tensor accumulated() const { return vectorOf(m_compared); }
    [[nodiscard]] Tensor rates() const { return vectorOf(m_rates); }

  private:
    static constexpr float secondPhase = 1.3F;

    template <typename T>
    static Tensor vectorOf(const std::vector<T>& values) {
        return Tensor::from({std::ssize(values)}, values);
    }

    CachedLoop m_loop;
    EasyCacheSettings m_settings;
    double m_guidance;
    EasyCacheScore m_score;
    std::vector<Tensor> m_added;
    std::vector<std::uint8_t> m_skipped;
    std::vector<float> m_compared;
    std::vector<float> m_rates;
};

}  // namespace

void verifyEasyCache(const Execution& /*execution*/, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("EasyCacheHolder");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const GoldenTolerance tolerance = files.outputTolerance();
    for (const std::string& variant : goldenVariants(comparison.golden())) {
        const nlohmann::json& given = files.description().at("params").at(variant);
        const Tensor levels = comparison.golden().get(variant + ".in.sigmas").toF32();
        const auto sigmas = levels.data<float>();
        const int steps = static_cast<int>(sigmas.size()) - 1;
        EasyRun run({.steps = steps,
                     .sigmas = {sigmas.begin(), sigmas.end() - 1},
                     .flowShift = given.at("shift").get<double>()},
                    {.threshold = given.at("threshold").get<double>(),
                     .start = given.at("start").get<double>(),
                     .end = given.at("end").get<double>()},
                    given.at("guidance").get<double>());
        Tensor sample = comparison.golden().get(variant + ".in.x0").toF32();
        std::vector<std::int64_t> extents{1};
        std::ranges::copy(sample.shape().extents(), std::back_inserter(extents));
        const Shape row(extents);
        std::vector<Tensor> samples{sample.reshaped(row)};
        Tensor velocity;
        for (int step = 0; step < steps; ++step) {
            const auto at = static_cast<std::size_t>(step);
            velocity = run.velocity(sample, step);
            const float distance = sigmas[at + 1] - sigmas[at];
            sample = combined(sample, velocity, [=](float x, float v) { return x + distance * v; });
            samples.push_back(sample.reshaped(row));
        }
        comparison.compare(variant + ".skipped", run.skipped(), {0.0, 0.0});
        comparison.compare(variant + ".accumulated", run.accumulated(), tolerance);
        comparison.compare(variant + ".rate", run.rates(), tolerance);
        comparison.compare(variant + ".x", joined(samples, 0), tolerance);
        comparison.compare(variant + ".last_velocity", velocity, tolerance);
    }
}

}  // namespace meshreel
