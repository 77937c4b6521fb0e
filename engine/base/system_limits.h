// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {

/// A limit that the system sets to the memory this process may map.
struct MemoryLimit {
    std::string_view command;  ///< that sets it in a shell: "ulimit -v"
    std::uint64_t bytes = 0;
    std::uint64_t taken = 0;

    [[nodiscard]] std::uint64_t left() const { return bytes > taken ? bytes - taken : 0; }
};

/// That of address space (RLIMIT_AS) or of data (RLIMIT_DATA), whichever leaves less; nothing without either.
std::optional<MemoryLimit> tightestMemoryLimit();

/// Whether the system would map so many bytes now: tried, and given back.
bool canMap(std::uint64_t bytes);

/// Error{Resources} with the numbers of the limit: `bytes` that `what` needs could not be mapped.
Error outOfAddressSpace(const Sentence& what, std::uint64_t bytes);

/// What std::bad_alloc means to the user: Error{Resources}, with the numbers of a limit where there is one.
Error outOfMemory();

/// What it means that a thread or process could not be started for this reason: Error{Resources}.
Error outOfThreads(const std::string& reason);

/// A thread whose failure to start is Error{Resources}.
template <typename Thread = std::thread, typename Body>
Thread startThread(Body&& body) {
    try {
        return Thread(std::forward<Body>(body));
    } catch (const std::system_error& failure) {
        throw outOfThreads(failure.code().message());
    }
}

}  // namespace meshreel
