// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "tests/support/ptx/ptx_complaint.h"

namespace meshreel {

/// Returns what the work complained about; empty if it did not.
inline std::string complaintOf(const std::function<void()>& work) {
    try {
        work();
    } catch (const testing::PtxComplaint& complaint) {
        return complaint.what();
    }
    return {};
}

/// Returns the text with the occurrence `which` of `from`, from 0, replaced; a mutation that changes nothing
/// is a mistake of the test.
inline std::string mutated(std::string text, std::string_view from, std::string_view to, int which = 0) {
    std::size_t at = text.find(from);
    for (int index = 0; index < which && at != std::string::npos; ++index)
        at = text.find(from, at + 1);
    if (at == std::string::npos) {
        ADD_FAILURE() << "the text has no \"" << from << "\" of number " << which;
        return text;
    }
    return text.replace(at, from.size(), to);
}

}  // namespace meshreel
