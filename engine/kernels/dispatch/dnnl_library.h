// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dnnl.hpp>
#include <string>

namespace meshreel {

/// oneDNN's CPU engine. At the first call the library is limited to the instructions in cpuFeatures().
const dnnl::engine& dnnlEngine();

/// The calling thread's stream. Its primitives run on that thread alone: threads come from Execution.
dnnl::stream& dnnlStream();

/// "oneDNN 2.6.3".
std::string dnnlVersion();

}  // namespace meshreel
