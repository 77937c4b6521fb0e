// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/kernels/attention/attention_kernel.h"
#include "tests/support/random_tensor.h"

namespace meshreel::testing {

enum class KeyMask : std::uint8_t { None, Tail, Random, All };

struct HeadCaseSpec {
    std::int64_t queries = 1;
    std::int64_t keys = 1;
    std::int64_t headDim = 8;
    float gain = 1.0F;  ///< of queries and keys
    KeyMask mask = KeyMask::None;
    DType storage = DType::F32;
    std::uint32_t seed = 1;

    [[nodiscard]] std::string text() const {
        return std::to_string(queries) + "x" + std::to_string(keys) + "x" + std::to_string(headDim) +
               " gain " + std::to_string(gain) + " mask " + std::to_string(static_cast<int>(mask)) + " " +
               std::string(nameOf(storage)) + " seed " + std::to_string(seed);
    }
};

/// Standard-normal queries, keys and values of one head that lies between two others, and its attention in
/// f64.
class HeadCase {
  public:
    explicit HeadCase(const HeadCaseSpec& of)
        : spec(of),
          m_q(of, of.queries, 3 * of.seed, of.gain),
          m_k(of, of.keys, 3 * of.seed + 1, of.gain),
          m_v(of, of.keys, 3 * of.seed + 2, 1.0F) {
        std::mt19937 generator(spec.seed);
        for (std::int64_t key = 0; key < spec.keys; ++key) {
            const bool tail = spec.mask == KeyMask::Tail && key >= (spec.keys + 1) / 2;
            const bool random = spec.mask == KeyMask::Random && generator() % 3 == 0;
            m_keyMask.push_back(tail || random || spec.mask == KeyMask::All ? 0 : 1);
        }
    }

    [[nodiscard]] HeadInputs problem() const { return problem(0, spec.keys); }

    /// Over keys [first, end) only.
    [[nodiscard]] HeadInputs problem(std::int64_t first, std::int64_t end) const {
        return {.queries = spec.queries,
                .keys = end - first,
                .headDim = spec.headDim,
                .q = m_q.rows(),
                .k = m_k.rows().from(first),
                .v = m_v.rows().from(first),
                .scale = scale(),
                .keyMask = spec.mask == KeyMask::None ? nullptr : m_keyMask.data() + first};
    }

    [[nodiscard]] double scale() const { return 1.0 / std::sqrt(static_cast<double>(spec.headDim)); }

    /// softmax(scale·q·kᵀ)·v over the kept keys, [queries, headDim]; zeros when there is none.
    [[nodiscard]] std::vector<double> reference() const {
        std::vector<double> out(static_cast<std::size_t>(spec.queries * spec.headDim), 0.0);
        std::vector<double> scores(static_cast<std::size_t>(spec.keys));
        for (std::int64_t query = 0; query < spec.queries; ++query) {
            double largest = -std::numeric_limits<double>::infinity();
            for (std::int64_t key = 0; key < spec.keys; ++key) {
                double& score = scores[static_cast<std::size_t>(key)];
                score = 0.0;
                for (std::int64_t i = 0; i < spec.headDim; ++i)
                    score += m_q.at(query, i) * m_k.at(key, i) * scale();
                if (m_keyMask[static_cast<std::size_t>(key)] != 0)
                    largest = std::max(largest, score);
            }
            addWeighted(scores, largest, out.data() + query * spec.headDim);
        }
        return out;
    }

    /// The largest difference of a finished partial from `expected`.
    [[nodiscard]] double error(const AttentionPartial& partial, const std::vector<double>& expected) const {
        std::vector<float> out(expected.size());
        finalizePartial(partial, out.data(), spec.headDim);
        double largest = 0.0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double difference = std::abs(static_cast<double>(out[i]) - expected[i]);
            largest = difference > largest || std::isnan(difference) ? difference : largest;
        }
        return largest;
    }

    const HeadCaseSpec spec;

  private:
    // The middle one of three heads.
    class Rows {
      public:
        Rows(const HeadCaseSpec& spec, std::int64_t count, std::uint32_t seed, float gain)
            : m_width(spec.headDim), m_floats(randomTensor({count, 3, spec.headDim}, seed)) {
            for (float& value : m_floats.data<float>()) {
                value *= gain;
                if (spec.storage == DType::BF16) {
                    m_narrow.push_back(toBFloat16(value));
                    value = toFloat(m_narrow.back());
                }
            }
        }
        [[nodiscard]] HeadRows rows() const {
            return m_narrow.empty() ? HeadRows(m_floats.data<float>().data() + m_width, 3 * m_width)
                                    : HeadRows(m_narrow.data() + m_width, 3 * m_width);
        }
        [[nodiscard]] double at(std::int64_t row, std::int64_t i) const {
            return static_cast<double>(
                m_floats.data<float>()[static_cast<std::size_t>((row * 3 + 1) * m_width + i)]);
        }

      private:
        std::int64_t m_width;
        Tensor m_floats;
        std::vector<BFloat16> m_narrow;
    };

    void addWeighted(const std::vector<double>& scores, double largest, double* out) const {
        double sum = 0.0;
        for (std::int64_t key = 0; key < spec.keys; ++key) {
            if (m_keyMask[static_cast<std::size_t>(key)] == 0)
                continue;
            const double weight = std::exp(scores[static_cast<std::size_t>(key)] - largest);
            sum += weight;
            for (std::int64_t i = 0; i < spec.headDim; ++i)
                out[i] += weight * m_v.at(key, i);
        }
        for (std::int64_t i = 0; i < spec.headDim && sum > 0.0; ++i)
            out[i] /= sum;
    }

    Rows m_q;
    Rows m_k;
    Rows m_v;
    std::vector<std::uint8_t> m_keyMask;
};

}  // namespace meshreel::testing
