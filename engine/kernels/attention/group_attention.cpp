// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/group_attention.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_group_attention.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {
namespace {

/// Attention of one query's heads to the keys of its group, all f32 and side by side.
struct QueryOfGroup {
    std::size_t heads;
    std::size_t headDim;
    std::span<const float> keys;  // [groupKeys, heads, headDim]
    std::span<const float> values;

    void attend(std::span<const float> query, std::span<float> out, ScratchVector<float>& weights) const {
        const std::size_t row = heads * headDim;
        const float scale = 1.0F / std::sqrt(static_cast<float>(headDim));
        weights.resize(keys.size() / row);
        std::ranges::fill(out, 0.0F);
        for (std::size_t head = 0; head < row; head += headDim) {
            for (std::size_t key = 0; key < weights.size(); ++key) {
                float product = 0;
                for (std::size_t i = head; i < head + headDim; ++i)
                    product += query[i] * keys[key * row + i];
                weights[key] = product * scale;
            }
            softmax(weights);
            for (std::size_t key = 0; key < weights.size(); ++key)
                for (std::size_t i = head; i < head + headDim; ++i)
                    out[i] += weights[key] * values[key * row + i];
        }
    }

    static void softmax(std::span<float> scores) {
        const float largest = *std::ranges::max_element(scores);
        float sum = 0;
        for (float& score : scores)
            sum += score = std::exp(score - largest);
        for (float& score : scores)
            score /= sum;
    }
};

/// All rows as f32, side by side.
void readRows(const MatrixView& rows, std::span<float> to) {
    const auto width = static_cast<std::size_t>(rows.width());
    for (std::int64_t row = 0; row < rows.rows(); ++row)
        rows.readRow(row, to.subspan(static_cast<std::size_t>(row) * width, width));
}

void attendInGroups(const OnHost& on, const GroupAttention& attention, const MatrixSpan& y) {
    const auto width = static_cast<std::size_t>(attention.q.width());
    const std::int64_t queries = attention.q.rows() / attention.sequences;
    const std::int64_t groups = attention.k.rows() / attention.sequences / attention.groupKeys;
    on.execution.workers.parallelFor(attention.q.rows(), [&](std::int64_t begin, std::int64_t end) {
        ScratchVector<float> keys(static_cast<std::size_t>(attention.groupKeys) * width);
        ScratchVector<float> values(keys.size());
        ScratchVector<float> query(width);
        ScratchVector<float> out(width);
        ScratchVector<float> weights;
        std::int64_t held = -1;  // group
        for (std::int64_t row = begin; row < end; ++row) {
            const std::int64_t group =
                row / queries * groups + (attention.firstQuery + row % queries) / attention.groupQueries;
            if (group != held) {
                readRows(attention.k.slice(group * attention.groupKeys, attention.groupKeys), keys);
                readRows(attention.v.slice(group * attention.groupKeys, attention.groupKeys), values);
                held = group;
            }
            const QueryOfGroup one{.heads = static_cast<std::size_t>(attention.heads),
                                   .headDim = static_cast<std::size_t>(attention.headDim),
                                   .keys = keys,
                                   .values = values};
            attention.q.readRow(row, query);
            one.attend(query, out, weights);
            y.writeRow(row, out);
        }
    });
}

void requireFit(const GroupAttention& attention, const MatrixView& y) {
    const std::int64_t width = attention.heads * attention.headDim;
    const auto fits = [&](const MatrixView& rows, std::int64_t count) {
        return rows.rows() == count && rows.width() == width;
    };
    const std::int64_t of = attention.sequences;
    const bool counts = of > 0 && attention.groupQueries > 0 && attention.groupKeys > 0 &&
                        attention.q.rows() % of == 0 && attention.k.rows() % (of * attention.groupKeys) == 0;
    if (!counts || !fits(attention.q, y.rows()) || !fits(attention.k, attention.v.rows()) ||
        !fits(attention.v, attention.k.rows()) || !fits(y, attention.q.rows()) ||
        attention.firstQuery + attention.q.rows() / of >
            attention.k.rows() / of / attention.groupKeys * attention.groupQueries)
        throw Error(ErrorKind::Internal, "an attention in groups does not fit its rows");
}

}  // namespace

void attendInGroups(const Execution& execution, const GroupAttention& attention, const MatrixSpan& y) {
    if (attention.q.rows() == 0)
        return;  // a device of the mesh without tokens
    requireFit(attention, y);
    dispatch(execution, {attention.q, attention.k, attention.v, y},
             [&](const auto& on) { attendInGroups(on, attention, y); });
}

}  // namespace meshreel
