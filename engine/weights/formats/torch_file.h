// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/weights/formats/tensor_file.h"

namespace meshreel {

/// Returns whether the bytes are those of a file that torch.save() wrote, in its present or its old form.
bool isTorchFile(std::span<const std::byte> bytes);

/// Returns the directory of a .pth file: a zip archive whose pickle names tensors in a dictionary, at the top
/// or under a key of training scripts such as "state_dict", "model" or "params_ema". The pickle is read as
/// data: of its globals only the constructors of tensors are known, and none is called. Throws Error{Input}
/// for everything else, for the form that PyTorch wrote before version 1.6, and for tensors that reach out of
/// their storage or are larger than it.
TensorDirectory readTorchDirectory(std::span<const std::byte> bytes, const std::string& file);

}  // namespace meshreel
