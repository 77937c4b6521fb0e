// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax of a panel, over a vector type; compiled once for each instruction set.
#pragma once

#include <limits>

#include "engine/kernels/attention/panel_kernels.h"

namespace meshreel {

/// 2^(whole + fraction - shift + headroom) for integers but `fraction`, which is within 1/2: a minimax
/// polynomial of degree 5 (relative error 1.2e-7, exact at 0) for 2^fraction, the rest by its exponent bits.
/// 0 below the normal numbers, infinity from 2^128 on.
template <typename Vector>
struct PowerOfTwo {
    using Value = typename Vector::Value;

    static Value split(Value whole, Value fraction, Value shift, Value headroom) {
        Value p = Vector::broadcast(0.00133137999F);
        for (const float coefficient : {0.0096728811F, 0.0555057004F, 0.240222156F, 0.693147063F, 1.0F})
            p = Vector::multiplyAdd(p, fraction, Vector::broadcast(coefficient));
        const Value steps = Vector::subtract(whole, Vector::subtract(shift, headroom));
        const Value power = Vector::powerOfTwo(Vector::smaller(steps, Vector::broadcast(128.0F)));
        return Vector::unlessLess(steps, Vector::broadcast(-126.0F), Vector::multiply(p, power),
                                  Vector::zero());
    }

    static Value of(Value score, Value shift, Value headroom) {
        const Value whole = Vector::nearest(score);
        return split(whole, Vector::subtract(score, whole), shift, headroom);
    }
};

/// e^(whole + fraction - shift)·2^headroom: 0 below the normal numbers, infinity from 2^128 on.
template <typename Vector>
struct NaturalPower {
    using Value = typename Vector::Value;

    static Value split(Value whole, Value fraction, Value shift, Value headroom) {
        return exponential(Vector::add(Vector::subtract(whole, shift), fraction), headroom);
    }

    static Value of(Value score, Value shift, Value headroom) {
        return exponential(Vector::subtract(score, shift), headroom);
    }

  private:
    static Value exponential(Value x, Value headroom) {
        const Value lowered = Vector::multiply(headroom, Vector::broadcast(0.693147181F));
        const Value largest = Vector::subtract(Vector::broadcast(88.7228394F), lowered);  // ln(FLT_MAX)
        const Value smallest = Vector::subtract(Vector::broadcast(-87.33654F), lowered);  // ln(FLT_MIN)
        const Value bounded = Vector::larger(smallest, Vector::smaller(largest, x));
        const Value n = Vector::nearest(Vector::multiply(bounded, Vector::broadcast(1.44269504F)));
        Value r = Vector::multiplyAdd(n, Vector::broadcast(-0.693359375F), bounded);
        r = Vector::multiplyAdd(n, Vector::broadcast(2.12194440e-4F), r);
        Value p = Vector::broadcast(1.0F / 5040.0F);
        for (const float coefficient :
             {1.0F / 720.0F, 1.0F / 120.0F, 1.0F / 24.0F, 1.0F / 6.0F, 0.5F, 1.0F, 1.0F})
            p = Vector::multiplyAdd(p, r, Vector::broadcast(coefficient));
        // In two factors, because the power reaches 128.
        const Value power = Vector::add(n, headroom);
        const Value half = Vector::nearest(Vector::multiply(power, Vector::broadcast(0.5F)));
        const Value result = Vector::multiply(Vector::multiply(p, Vector::powerOfTwo(half)),
                                              Vector::powerOfTwo(Vector::subtract(power, half)));
        const Value infinity = Vector::broadcast(std::numeric_limits<float>::infinity());
        const Value inRange = Vector::unlessLess(largest, x, result, infinity);
        return Vector::unlessLess(x, smallest, inRange, Vector::zero());
    }
};

template <typename Vector>
struct PanelSoftmax {
    using Value = typename Vector::Value;

    static constexpr int vectors = static_cast<int>(panelQueries / Vector::lanes);

    // Weights are summed in groups of keys before they are added to longer sums: f32 addition of thousands of
    // equal terms would lose digits.
    static constexpr std::int64_t groupKeys = 32;

    static bool raise(const PanelScores& scores, ExponentBase base, const PanelStatistics& statistics) {
        bool rises = false;
        Value maxima[vectors];
        for (int vector = 0; vector < vectors; ++vector) {
            const std::int64_t at = vector * Vector::lanes;
            maxima[vector] = scores.fraction == nullptr ? largest(scores.whole + at, scores.keys)
                                                        : largestWide(scores, at);
            rises = rises || Vector::anyLess(Vector::load(statistics.maxima + at), maxima[vector]);
        }
        if (!rises)
            return false;
        for (int vector = 0; vector < vectors; ++vector)
            base == ExponentBase::Two
                ? put<PowerOfTwo<Vector>>(maxima[vector], vector * Vector::lanes, statistics)
                : put<NaturalPower<Vector>>(maxima[vector], vector * Vector::lanes, statistics);
        return true;
    }

    template <typename Power>
    static void weigh(const PanelScores& scores, float headroom, const PanelStatistics& statistics) {
        for (std::int64_t at = 0; at < panelQueries; at += Vector::lanes) {
            const Shift shift{Vector::load(statistics.maxima + at), Vector::broadcast(headroom)};
            Value sum = Vector::zero();
            for (std::int64_t key = 0; key < scores.keys; key += groupKeys) {
                const std::int64_t end = scores.keys - key < groupKeys ? scores.keys : key + groupKeys;
                sum = Vector::add(sum, scores.fraction == nullptr
                                           ? weighGroup<Power>(scores, key, end, at, shift)
                                           : weighWideGroup<Power>(scores, key, end, at, shift));
            }
            Vector::store(statistics.sums + at, Vector::add(Vector::load(statistics.sums + at), sum));
        }
    }

  private:
    struct Shift {
        Value maximum;
        Value headroom;
    };

    static Value largest(const float* scores, std::int64_t keys) {
        Value result = Vector::broadcast(-std::numeric_limits<float>::infinity());
        for (std::int64_t key = 0; key < keys; ++key)
            result = Vector::larger(result, Vector::load(scores + key * panelQueries));
        return Vector::ceil(result);
    }

    // Returns the integer at or above a score whose fraction lies on either side of `whole`.
    static Value largestWide(const PanelScores& scores, std::int64_t at) {
        Value result = Vector::broadcast(-std::numeric_limits<float>::infinity());
        for (std::int64_t key = 0; key < scores.keys; ++key) {
            const Value whole = Vector::load(scores.whole + key * panelQueries + at);
            const Value fraction = Vector::load(scores.fraction + key * panelQueries + at);
            result = Vector::larger(result, Vector::add(whole, Vector::ceil(fraction)));
        }
        return result;
    }

    template <typename Power>
    static void put(Value raised, std::int64_t at, const PanelStatistics& statistics) {
        const Value old = Vector::load(statistics.maxima + at);
        const Value one = Vector::broadcast(1.0F);
        const Value factor = Vector::unlessLess(
            old, raised, one, Power::of(Vector::subtract(old, raised), Vector::zero(), Vector::zero()));
        Vector::store(statistics.factors + at, factor);
        Vector::store(statistics.maxima + at, Vector::unlessLess(old, raised, old, raised));
        Vector::store(statistics.sums + at, Vector::multiply(Vector::load(statistics.sums + at), factor));
    }

    template <typename Power>
    static Value weighGroup(const PanelScores& scores, std::int64_t begin, std::int64_t end, std::int64_t at,
                            const Shift& shift) {
        Value sum = Vector::zero();
        for (std::int64_t key = begin; key < end; ++key) {
            float* score = scores.whole + key * panelQueries + at;
            const Value weight = Power::of(Vector::load(score), shift.maximum, shift.headroom);
            Vector::store(score, weight);
            sum = Vector::add(sum, weight);
        }
        return sum;
    }

    template <typename Power>
    static Value weighWideGroup(const PanelScores& scores, std::int64_t begin, std::int64_t end,
                                std::int64_t at, const Shift& shift) {
        Value sum = Vector::zero();
        for (std::int64_t key = begin; key < end; ++key) {
            float* whole = scores.whole + key * panelQueries + at;
            const Value fraction = Vector::load(scores.fraction + key * panelQueries + at);
            const Value weight = Power::split(Vector::load(whole), fraction, shift.maximum, shift.headroom);
            Vector::store(whole, weight);
            sum = Vector::add(sum, weight);
        }
        return sum;
    }
};

template <typename Vector>
bool raisePanel(const PanelScores& scores, ExponentBase base, const PanelStatistics& statistics) {
    return PanelSoftmax<Vector>::raise(scores, base, statistics);
}

template <typename Vector>
void weighPanel(const PanelScores& scores, ExponentBase base, float headroom,
                const PanelStatistics& statistics) {
    if (base == ExponentBase::Two)
        PanelSoftmax<Vector>::template weigh<PowerOfTwo<Vector>>(scores, headroom, statistics);
    else
        PanelSoftmax<Vector>::template weigh<NaturalPower<Vector>>(scores, headroom, statistics);
}

}  // namespace meshreel
