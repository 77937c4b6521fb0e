// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/base/stop_token.h"

namespace meshreel {

// Kernels of PTX can hang or crash a driver that compiles them. So the first use of each on a card and driver
// is that of another program, which has a deadline. What it says of the kernel is remembered with the
// measurements of the card (GpuTuning); what kept it from asking is not.

/// A way to compute a kernel, by its names among the measurements of a GPU.
struct NamedVariant {
    std::string kernel;  ///< "linear"
    std::string form;    ///< name of a MatrixForm
    std::string block;
};

/// What became of a first use.
enum class FirstUseVerdict : std::uint8_t {
    NotAsked,  ///< no memory, no process, no such GPU: nothing is known of the kernel
    Usable,
    Refused,   ///< the driver does not take its text
    Wrong,     ///< it computes wrong values
    Crashed,   ///< it ended the program, or lost the device
    TimedOut,  ///< it did not end in time
};

template <>
struct EnumNames<FirstUseVerdict> {
    static constexpr std::array<std::string_view, 6> names{"not_asked", "usable",  "refused",
                                                           "wrong",     "crashed", "timed_out"};
};

struct FirstUse {
    FirstUseVerdict verdict = FirstUseVerdict::NotAsked;
    Sentence why = {};  ///< it is not usable; empty when it is
    /// How many problems it computed of those that it is measured on, the smallest first.
    std::size_t sizes = 0;

    static constexpr auto fields() {
        return std::tuple(field("verdict", &FirstUse::verdict), field("why", &FirstUse::why),
                          field("sizes", &FirstUse::sizes));
    }

    [[nodiscard]] bool isUsable() const { return verdict == FirstUseVerdict::Usable; }
    /// Returns whether the next process would learn the same: it is remembered.
    [[nodiscard]] bool isLasting() const { return verdict != FirstUseVerdict::NotAsked; }
};

/// How a variant is tried.
struct FirstUseQuestion {
    /// A program that prints answerOfFirstUse(), given a GPU's id, kernel, form and block as its last
    /// arguments.
    std::vector<std::string> program;
    std::chrono::milliseconds patience{60'000};
};

/// Returns the question that `meshreel` and the Studio ask: in a child process of the runner.
FirstUseQuestion usualFirstUse();

/// Returns what the program says of the variant on the GPU, or how it ended. Throws Error{Cancelled} soon
/// after a stop was requested.
FirstUse askFirstUse(const FirstUseQuestion& question, const std::string& gpu, const NamedVariant& variant,
                     const StopToken& stop = {});

/// Runs in the child process: computes small values by the variant, beside the CPU, then the problems that it
/// is measured on. Returns a line of JSON for askFirstUse().
std::string answerOfFirstUse(const std::string& gpu, const NamedVariant& variant);

}  // namespace meshreel
