// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "engine/foresight/published_times.h"

namespace meshreel::testing {

/// Wan 2.2 T2V A14B at 720p on TPU v7x, as pull request 430 of MaxDiffusion measured it. Guidance is on where
/// there are two data shards, and off on one.
struct V7xSplit {
    int data = 2;
    int ulysses = 1;
    int ring = 1;
    std::string attention = "ulysses_ring_custom";
    int blockQ = 9472;
    int blockKv = 1024;
    int gathered = 1;
};

inline PublishedTime v7xStep(const V7xSplit& split) {
    PublishedTime row;
    row.id = "v7x";
    row.framework = "MaxDiffusion";
    row.model = "Wan2.2-T2V-A14B";
    row.task = "t2v";
    row.hardware = "TPU v7x";
    row.data = split.data;
    row.context = split.ulysses * split.ring * split.gathered;
    row.devices = row.context * split.data;
    row.ring = split.ring;
    row.ulysses = split.ulysses;
    row.tensor = 1;
    row.width = 1280;
    row.height = 720;
    row.frames = 81;
    row.steps = 40;
    row.batch = 1;
    row.numberType = "bf16";
    row.attention = split.attention;
    row.blockQ = split.blockQ;
    row.blockKv = split.blockKv;
    row.forwards = split.data;
    row.metric = "s_per_step";
    row.seconds = 1;
    return row;
}

}  // namespace meshreel::testing
