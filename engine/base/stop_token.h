// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

#include "engine/base/error.h"

namespace meshreel {

/// Asked often (at least once per transformer block) by everything that takes long.
using StopToken = std::stop_token;
using StopSource = std::stop_source;

/// Throws Error{Cancelled} once a stop was requested.
inline void throwIfStopped(const StopToken& stop) {
    if (stop.stop_requested())
        throw Error(ErrorKind::Cancelled, sentence("Cancelled"));
}

}  // namespace meshreel
