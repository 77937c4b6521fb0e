// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
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
    /// Not empty: this is a relative of Wan that Meshreel does not run, by its name.
    Sentence relative{};
    /// Not empty: name or metadata say that it belongs to this other model, of whose part it has the shapes.
    Sentence namedFor{};
    bool namedForWan = false;  ///< they say that it is Wan's
    /// Of a transformer: which of two it is by its name or metadata. Any transformer may be called so.
    std::optional<Expert> expert{};
    /// Not empty: what could not be told from the file, and how to tell.
    Sentence doubt{};
    std::vector<std::string> missing{};     ///< tensors of the architecture that the file does not hold
    std::vector<std::string> unexpected{};  ///< tensors that the architecture does not have
};

/// Nothing but the directory of the files is read. Throws as Checkpoint::open only where files are broken.
ModelIdentity identify(const Checkpoint& checkpoint);

/// The relative of Wan, or the other model, that a checkpoint is by its tensors or its config's class; empty
/// for what may be Wan's. Of identify() the part that needs no list of released models.
Sentence describeRelative(const Checkpoint& checkpoint);

/// What a transformer of Wan's shapes was trained to be given beside the prompt, as its names say.
TrainedInput trainedInputOf(const Checkpoint& checkpoint);

/// Which key gives it, and what such a model makes without; empty for None.
Sentence describeTrainedInput(TrainedInput input);

/// The other model that name or metadata of a file say it belongs to, of whose part it has the shapes; empty
/// for all others.
Sentence modelNamedBy(const Checkpoint& checkpoint);

}  // namespace meshreel
