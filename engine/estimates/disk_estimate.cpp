// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/disk_estimate.h"

#include <cstdint>

#include "engine/base/numbers.h"

namespace meshreel {

DiskEstimate estimateDisk(const Project& project, const Workload& work) {
    constexpr double smallFiles = 4.0 * (1 << 20);  // YAML, CSV, JSON, trace, log, preview
    // A checkpoint beside its replacement, and the final latents.
    const double latents = f32Bytes * (2 * latentCopies + 1) * real(work.latentShape.elements());
    // No better than raw.
    const double video = 3 * real(work.latentShape[0] * project.height * project.width * project.numFrames);
    return {.runFolder = static_cast<std::uint64_t>(smallFiles + latents + video)};
}

}  // namespace meshreel
