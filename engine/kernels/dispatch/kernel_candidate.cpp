// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/kernel_candidate.h"

namespace meshreel {

std::string whyRejected(const KernelCandidate& candidate) {
    for (const CpuFeature feature : candidate.needs) {
        if (feature == nullptr)
            break;
        if (std::string reason = whyAbsent(feature); !reason.empty())
            return reason;
    }
    return {};
}

}  // namespace meshreel
