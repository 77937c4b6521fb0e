// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/tensor.h"
#include "engine/weights/safetensors.h"

namespace meshreel {

/// The weights of one model component (transformer, vae, text_encoder): one safetensors file or several
/// shards with an index. Tensors are views into memory maps; nothing is read before it is used.
class Checkpoint {
  public:
    /// `folderOrFile` is a component's folder (holding diffusion_pytorch_model or model, as .safetensors or
    /// .safetensors.index.json), one .safetensors file or one index. Throws Error{Input} naming what is
    /// missing.
    static Checkpoint open(const std::filesystem::path& folderOrFile);

    /// The file or index that was opened.
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

    /// The files that hold the tensors.
    [[nodiscard]] const std::vector<SafetensorsFile>& shards() const { return m_shards; }

    [[nodiscard]] bool has(std::string_view name) const { return m_shardOfTensor.contains(name); }

    /// Sorted.
    [[nodiscard]] std::vector<std::string> names() const;

    /// Throws Error{Input} with file, tensor and the nearest name when there is none, as
    /// SafetensorsFile::get.
    [[nodiscard]] Tensor get(std::string_view name) const;

    /// The same, and Error{Input} with found and expected shape when they differ.
    [[nodiscard]] Tensor get(std::string_view name, const Shape& expected) const;

    /// As SafetensorsFile.
    void require(std::string_view name, const Shape& expected) const;
    void prefetch(std::string_view name) const;
    void release(std::string_view name) const;

    /// Bytes of all tensors together.
    [[nodiscard]] std::size_t bytes() const;

  private:
    [[nodiscard]] const SafetensorsFile& shardOf(std::string_view name) const;

    std::filesystem::path m_path;
    std::vector<SafetensorsFile> m_shards;
    std::map<std::string, std::size_t, std::less<>> m_shardOfTensor;
};

}  // namespace meshreel
