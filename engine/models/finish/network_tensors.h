// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {

/// The tensors of a network that works on finished videos, of a safetensors file or one of PyTorch (.pth,
/// .pkl), by names that do not depend on who wrote the file.
class NetworkTensors {
  public:
    /// Returns the name that the network's own code gives a tensor; empty for one that it does not read.
    using Rename = std::function<std::string(std::string_view)>;

    /// What trainers put in front of names ("module.", "flownet.", "params_ema.", "params.") is taken off
    /// before `rename`. Throws Error{Input} as TensorFile::open(), and when two tensors get one name.
    static NetworkTensors open(const std::filesystem::path& file, const Rename& rename);

    [[nodiscard]] const std::filesystem::path& path() const { return m_file.path(); }
    [[nodiscard]] bool has(std::string_view name) const { return m_places.contains(name); }
    /// Sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Returns the shape; that of no extents when there is none of that name.
    [[nodiscard]] Shape shape(std::string_view name) const;

    /// Returns the values as f32. Throws Error{Input} naming the tensor when it is missing or of another
    /// shape.
    [[nodiscard]] Tensor get(std::string_view name, const Shape& expected) const;

    /// Throws Error{Input}: MESSAGE, at this file.
    [[noreturn]] void refuse(Sentence message, Sentence hint) const;

  private:
    explicit NetworkTensors(TensorFile file) : m_file(std::move(file)) {}

    TensorFile m_file;
    std::map<std::string, std::size_t, std::less<>> m_places;  // in the file's directory
};

}  // namespace meshreel
