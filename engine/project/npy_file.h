// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// An array of NumPy.
struct NpyArray {
    std::vector<std::int64_t> shape;
    std::vector<double> values;  ///< outermost axis first
};

/// Returns whether bytes are, or begin, a .npy file.
bool isNpy(std::string_view bytes);

/// Reads the bytes of a .npy file (numpy.lib.format, versions 1 to 3) of booleans, integers or floating-point
/// numbers of 4 and 8 bytes, little-endian. Throws Error{Input} at `where` for others, and for arrays in
/// Fortran's order.
NpyArray parseNpy(std::string_view bytes, const std::string& where);

}  // namespace meshreel
