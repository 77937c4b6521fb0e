// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>

#include "engine/base/sentence.h"

namespace meshreel {

class GpuWork;

/// Copies some MiB from each of these to each other one by GpuStream::copyFromPeer(), and compares: drivers
/// and bridges between cards are known that copy wrong bytes and report success. All were opened with
/// GpuExchange::Peers. Returns which copy failed, and how; empty when all are right.
Sentence whyPeersDoNotCopy(std::span<const std::shared_ptr<GpuWork>> gpus);

}  // namespace meshreel
