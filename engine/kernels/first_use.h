// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/base/sentence.h"

namespace meshreel {

// Kernels of PTX can hang or crash a driver that compiles them. So the first use of each on a card and driver
// is that of another program, which has a deadline. What it says is remembered with the measurements of the
// card (GpuTuning).

/// A way to compute a kernel, by its names among the measurements of a GPU.
struct NamedVariant {
    std::string kernel;  ///< "linear"
    std::string form;    ///< name of a MatrixForm
    std::string block;
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

/// Returns why the variant is not to be used on the GPU: the program said so, crashed, or did not end in
/// time. Empty when it may be used.
Sentence askFirstUse(const FirstUseQuestion& question, const std::string& gpu, const NamedVariant& variant);

/// Runs in the child process: computes small values by the variant, beside the CPU. Returns a line of JSON
/// for askFirstUse().
std::string answerOfFirstUse(const std::string& gpu, const NamedVariant& variant);

}  // namespace meshreel
