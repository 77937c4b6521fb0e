// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_group_attention.h"

#include <algorithm>
#include <cmath>

#include "engine/base/numbers.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_operations.h"

namespace meshreel {

void attendInGroups(const OnVulkan& on, const GroupAttention& attention, const MatrixSpan& y) {
    const PreparedAttention& prepared = attentionOf(on.pipelines(), attention.headDim);
    const std::int64_t queries = attention.q.rows() / attention.sequences;
    const std::int64_t groups = attention.k.rows() / attention.sequences / attention.groupKeys;
    for (std::int64_t sequence = 0; sequence < attention.sequences; ++sequence)
        for (std::int64_t query = 0; query < queries;) {
            const std::int64_t group = (attention.firstQuery + query) / attention.groupQueries;
            const std::int64_t end =
                std::min(queries, (group + 1) * attention.groupQueries - attention.firstQuery);
            const std::int64_t row = sequence * queries + query;
            const std::int64_t key = (sequence * groups + group) * attention.groupKeys;
            attend(on.stream(), prepared,
                   {.heads = attention.heads,
                    .headDim = attention.headDim,
                    .q = gpuMatrix(attention.q.slice(row, end - query)),
                    .k = gpuMatrix(attention.k.slice(key, attention.groupKeys)),
                    .v = gpuMatrix(attention.v.slice(key, attention.groupKeys)),
                    .scale = 1.0 / std::sqrt(real(attention.headDim))},
                   gpuMatrix(y.slice(row, end - query)));
            query = end;
        }
}

}  // namespace meshreel
