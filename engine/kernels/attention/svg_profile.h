// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/sparse_rule.h"
#include "engine/kernels/rows/rope.h"

namespace meshreel {

/// One head's queries, keys and values of a video, in the order of its tokens.
struct ProfiledHead {
    HeadRows query;
    HeadRows key;
    HeadRows value;
    std::int64_t headDim = 0;
    double scale = 1.0;
};

/// Sparse VideoGen's question of a head: returns whether the attention of a few queries is nearer to the
/// dense one with the mask of places than with that of frames. Either mask has the first keys of its order,
/// as many as a frame has, and those whose block of 128 is less than 2 · (tokens of a frame) / 128 from the
/// query's. The queries are drawn from the first rule.sampledRows by rule.profileSeed, the same for every
/// head. On the calling thread, in f32. Source: MaxDiffusion pull request 480, svg_profile_temporal_heads();
/// its generator of random numbers is another, so it draws other queries.
bool svgPrefersPlaces(const SparseRule& rule, const TokenGrid& video, const ProfiledHead& head);

}  // namespace meshreel
