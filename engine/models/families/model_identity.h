// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/model_family.h"
#include "engine/models/families/weights_name.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/tensor_names.h"

namespace meshreel {

/// What the names and shapes of a checkpoint's tensors say it is.
struct ModelIdentity {
    std::optional<ModelPart> part{};
    const Architecture* architecture = nullptr;  ///< the released model of exactly these shapes
    Sentence family{};                           ///< "Wan 2.1", "Wan 2.2"; empty when it is open
    Sentence what{};                             ///< "text to video, 14B"
    /// Not empty: by its name, this is a relative of Wan that Meshreel does not run.
    Sentence relative{};
    Sentence instead{};  ///< for a relative: what to use in its place
    /// Not empty: name or metadata say that it belongs to this other model, whose part has the same shapes.
    Sentence namedFor{};
    bool namedForWan = false;  ///< they say that it is Wan's
    /// For a transformer: what it was trained to be given beside the prompt, as readTrainedInput() says.
    TrainedInput trained = TrainedInput::None;
    /// For a transformer: which of two it is by its name or metadata. Any transformer may have such a name.
    std::optional<Expert> expert{};
    /// Not empty: what the file does not show, and how to specify it.
    Sentence doubt{};
    std::vector<std::string> missing{};     ///< tensors of the architecture that the file does not hold
    std::vector<std::string> unexpected{};  ///< tensors that the architecture does not have
};

/// Reads only the directory of the files. Throws as Checkpoint::open() does, only for broken files.
ModelIdentity identify(const Checkpoint& checkpoint);

/// Returns the relative of Wan, or the other model, that a checkpoint is by its tensors or its config's
/// class; empty for what may be Wan's. The part of identify() that needs no list of released models.
Sentence describeRelative(const Checkpoint& checkpoint);

/// Returns what to use in place of the relative that describeRelative() finds.
Sentence insteadOfRelative(const Checkpoint& checkpoint);

/// Returns what a transformer of Wan's shapes was trained to be given beside the prompt, as its names say.
TrainedInput readTrainedInput(const Checkpoint& checkpoint);
/// As the name of a file says it alone.
TrainedInput readTrainedInput(std::string_view fileName);

/// Returns which key gives it, and what such a model makes without it; empty for None.
Sentence describeTrainedInput(TrainedInput input);

/// Returns the other model that a file belongs to by name or metadata, and whose part has the same shapes;
/// empty for all others.
Sentence modelNamedBy(const Checkpoint& checkpoint);

}  // namespace meshreel
