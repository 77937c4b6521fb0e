// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/generation_events.h"

namespace meshreel {

std::string_view nameOf(Phase phase) {
    switch (phase) {
        case Phase::Load:
            return "Load";
        case Phase::Compile:
            return "Compile";
        case Phase::Conditioning:
            return "Conditioning";
        case Phase::Denoise:
            return "Denoise";
        case Phase::Decode:
            return "Decode";
        case Phase::Format:
            return "Format";
    }
    return "";
}

}  // namespace meshreel
