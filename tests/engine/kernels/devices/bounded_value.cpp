// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled as kernels are (CMakeLists.txt).
#include "bounded_value.h"

namespace meshreel::testing {

void BoundedSum::add(const float* left, const float* right, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = 0; i < count; ++i)
        add(static_cast<double>(left[i]), static_cast<double>(right[i * stride]));
}

void BoundedSum::add(const Bounded* left, const float* right, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = 0; i < count; ++i)
        add(left[i], static_cast<double>(right[i * stride]));
}

}  // namespace meshreel::testing
