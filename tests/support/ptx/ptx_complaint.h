// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace meshreel::testing {

/// What a driver would refuse in PTX text, or what a program did that has no defined result: "linear.ptx:12:
/// …". The sentence says what to do instead.
class PtxComplaint : public std::runtime_error {
  public:
    PtxComplaint(std::string_view file, int line, std::string_view sentence)
        : std::runtime_error(fmt::format("{}:{}: {}", file, line, sentence)), m_line(line) {}

    [[nodiscard]] int line() const { return m_line; }

  private:
    int m_line;
};

}  // namespace meshreel::testing
