// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/weights/formats/quantised_blocks.h"

namespace meshreel {

// The inverse of unpackBlock(): each block's scales from its own smallest and largest element, every element
// rounded to the nearest step. `values` has Block::elements finite numbers.
void packBlock(const float* values, BlockQ4_0& block);
void packBlock(const float* values, BlockQ4_1& block);
void packBlock(const float* values, BlockQ5_0& block);
void packBlock(const float* values, BlockQ5_1& block);
void packBlock(const float* values, BlockQ8_0& block);
void packBlock(const float* values, BlockQ4_K& block);
void packBlock(const float* values, BlockQ5_K& block);
void packBlock(const float* values, BlockQ6_K& block);

}  // namespace meshreel
