// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace meshreel {

struct InspectOptions {
    bool json = false;     ///< of weights and models: one JSON object
    bool tensors = false;  ///< of weights: every tensor with its type and shape
};

/// Prints to stdout what `path` holds, whatever it is. Throws Error{Input} when it is nothing that is known,
/// Error{Project} for --json of what has none.
void inspect(const std::filesystem::path& path, const InspectOptions& options);

}  // namespace meshreel
