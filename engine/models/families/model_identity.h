// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/models/families/architecture.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// What the names and shapes of a checkpoint's tensors say it is.
struct ModelIdentity {
    std::optional<ModelPart> part{};
    const Architecture* architecture = nullptr;  ///< the released model of exactly these shapes
    Sentence family{};                           ///< "Wan 2.1", "Wan 2.2"; empty when it is open
    Sentence what{};                             ///< "text to video, 14B"
    /// Not empty: this is a relative of Wan that Meshreel does not run, by its name.
    Sentence relative{};
    /// Not empty: what could not be told from the file, and how to tell.
    Sentence doubt{};
    std::vector<std::string> missing{};     ///< tensors of the architecture that the file does not hold
    std::vector<std::string> unexpected{};  ///< tensors that the architecture does not have
};

/// Nothing but the directory of the files is read. Throws as Checkpoint::open only where files are broken.
ModelIdentity identify(const Checkpoint& checkpoint);

/// "high-noise" or "low-noise" expert, as the path says; empty when it says neither. Exposed for tests.
std::string expertNamedBy(const std::string& path);

}  // namespace meshreel
