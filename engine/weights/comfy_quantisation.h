// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {

// The layouts of matrices that ComfyUI describes in "comfy_quant" (comfy/quant_ops.py; the numbers are those
// of comfy-kitchen's eager backend).

/// How the numbers of such a matrix are to be read.
struct ComfyCoding {
    FileTensor tensor;              ///< with the type and the shape of the matrix
    std::int64_t scaleBlock = 0;    ///< elements of a row that have a scale of their own; 0: all
    bool hasWholeScale = false;     ///< nvfp4: weight_scale_2 multiplies all
    std::int64_t rotatedGroup = 0;  ///< columns that ConvRot rotated together; 0: none
};

/// Returns the layout that a description gives the tensor of a file; nothing for one that is not read.
std::optional<ComfyCoding> comfyCoding(const nlohmann::json& description, const FileTensor& tensor);

/// Returns a description's name for the storage of a tensor that is not read; empty for fp8, which is read as
/// it is.
Sentence comfyStorageName(const nlohmann::json& description, const FileTensor& tensor);

/// Scales of the blocks of a matrix, in tiles of 128 rows and 4 columns as cuBLAS wants them.
class BlockScales {
  public:
    /// `stored`: bytes of E4M3 numbers, or with `areExponents` of powers of two (E8M0), for a matrix of
    /// `columns` blocks a row.
    BlockScales(std::span<const std::byte> stored, std::int64_t columns, bool areExponents);

    [[nodiscard]] float at(std::int64_t row, std::int64_t column) const;

    /// Returns how many there are for a matrix, those that fill up the tiles included.
    static std::int64_t count(std::int64_t rows, std::int64_t columns);

  private:
    std::vector<float> m_values;
    std::int64_t m_tilesInRow;
};

/// Undoes ConvRot: multiplies each `group` of numbers by the regular Hadamard matrix, the Kronecker power of
/// its 4x4 form by its root, which is its own inverse. `values` are whole groups; `group` is a power of four.
void unrotate(std::span<float> values, std::int64_t group);

}  // namespace meshreel
