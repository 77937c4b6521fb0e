// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/shape.h"
#include "engine/weights/formats/stored_type.h"

namespace meshreel {

/// A tensor of a file to be written, without its values.
struct StoredSpec {
    std::string name;
    StoredType type = StoredType::F32;
    Shape shape;

    /// Throws Error{Project} when the innermost axis does not hold whole blocks.
    [[nodiscard]] std::size_t bytes() const;
};

enum class WeightsFormat : std::uint8_t { Safetensors, Gguf };

/// Returns the format of the extension: ".gguf", otherwise safetensors.
WeightsFormat formatOfName(const std::filesystem::path& file);

/// Appends `values` (whole blocks) as `type` stores them. Throws Error{Project} for a type that is only read.
void packStored(StoredType type, std::span<const float> values, std::vector<std::byte>& out);

/// A file of weights that grows by pieces of a tensor, in the order of order(). Not atomic: give it a name
/// that nobody else sees, such as that of writeFileAtomically.
class WeightsWriter {
  public:
    /// Writes the head. Throws Error{Project} for a type that the format does not have, Error{Internal} for a
    /// name given twice, Error{Resources} as append().
    WeightsWriter(const std::filesystem::path& file, WeightsFormat format, std::vector<StoredSpec> tensors,
                  const std::map<std::string, std::string>& metadata);

    /// Returns the indices of the tensors in the order in which their values are appended.
    [[nodiscard]] const std::vector<std::size_t>& order() const { return m_order; }

    /// The next values of the current tensor: whole blocks. Throws Error{Resources} when the disk is full.
    void append(std::span<const float> values);

    /// Throws Error{Internal} unless every tensor is whole.
    void close();

  private:
    void write(std::span<const std::byte> bytes);
    void fillUpTo(std::size_t offset);

    std::filesystem::path m_file;
    std::ofstream m_out;
    std::vector<StoredSpec> m_tensors;
    std::vector<std::size_t> m_order;
    std::size_t m_alignment = 1;
    std::size_t m_position = 0;  ///< in m_order
    std::size_t m_written = 0;   ///< bytes of the current tensor
    std::size_t m_fileBytes = 0;
    std::vector<std::byte> m_packed;
};

}  // namespace meshreel
