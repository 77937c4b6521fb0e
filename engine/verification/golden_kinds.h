// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"
#include "engine/verification/golden_files.h"

namespace meshreel {

// One function per kind, in the file of its name; the table is in golden_case.cpp.
void verifyDit(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyVae(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyUmt5(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyClipVision(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyImageResize(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyOutputSize(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyTokenizer(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyPipeline(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifySchedulers(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyTorchRandom(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyRealShapes(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyKeyMaps(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyLora(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
void verifyLowp(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel
