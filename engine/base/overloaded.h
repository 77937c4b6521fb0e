// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// One visitor of a variant made of several functions, for std::visit.
template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace meshreel
