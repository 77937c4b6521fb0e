// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/events/run_event.h"

namespace meshreel {

bool DecodedFrames::isValid() const {
    constexpr std::int64_t maxFrames = 1 << 24;
    return first >= 0 && total <= maxFrames && first <= total - frames.extent(0);
}

RunFailed RunFailed::from(const std::exception& failure) {
    const auto* known = dynamic_cast<const Error*>(&failure);
    return {.why = known != nullptr ? known->asSentence() : Sentence(failure.what()),
            .exitCode = meshreel::exitCode(known != nullptr ? known->kind() : ErrorKind::Internal)};
}

}  // namespace meshreel
