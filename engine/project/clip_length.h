// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel {

/// Returns the legal number of frames whose length at `fps` a second is nearest to `seconds`; of two equally
/// near ones the larger. Any numbers are taken; fps of 0 or less, and what is no number, give the least.
std::int64_t framesOfSeconds(double seconds, double fps);

/// Returns how many seconds the next longer legal video takes more.
double secondsOfFrameStep(double fps);

}  // namespace meshreel
