// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/foresight/accelerator_case.h"

namespace meshreel {

/// The efficiencies that a prediction multiplies its physics by. docs/foresight.md has the formulas.
struct EfficiencyValues {
    double linear = 0.7;        ///< part of the matrix rate, in linear layers
    double attention = 0.7;     ///< part of the matrix rate, in the attention kernel
    double bytesPerValue = 40;  ///< see AcceleratorProgram
    double convolution = 0.1;   ///< part of the convolution rate, in a VAE of 96 channels
    double conditioning = 3;    ///< seconds: encoding the prompts
    double link = 1;            ///< part of a link's bandwidth
    double startRows = 0;       ///< see AcceleratorKernel
    double whole = 1;           ///< what is left: every second is multiplied by it
};

/// Seconds of one denoising step by cause; for all layers and passes, on the busiest device.
struct StepCauses {
    double matrix = 0;      ///< linear layers
    double attention = 0;   ///< products of self-attention
    double padding = 0;     ///< self-attention: rows and keys that fill up the last blocks
    double softmax = 0;     ///< self-attention: what the matrix unit does not hide; starts of blocks
    double bandwidth = 0;   ///< norms, rotations, residuals: bytes through the device's memory
    double exchange = 0;    ///< heads for tokens and back (Ulysses)
    double hops = 0;        ///< of a ring, as far as they outlast the kernel
    double gather = 0;      ///< of keys and values, as far as it outlasts the projections
    double reductions = 0;  ///< sums over the tensor axis
    double weights = 0;     ///< gathering weights over the fsdp axis, as far as it outlasts computing

    [[nodiscard]] double total() const {
        return matrix + attention + padding + softmax + bandwidth + exchange + hops + gather + reductions +
               weights;
    }
};

/// A row of a table of causes.
struct CauseRow {
    std::string_view name;  ///< in JSON: "exposed_hops"
    std::string_view title;
    double StepCauses::*seconds;
    std::string_view faster;  ///< one sentence: what would make it less
};

/// Returns every cause, in the order to show them.
std::span<const CauseRow> causeRows();

/// What the model says of a case. Seconds.
struct CaseSeconds {
    StepCauses step;
    double kernelPerHop = 0;    ///< for one layer, pass and hop
    double transferPerHop = 0;  ///< for keys and values to the next device of the ring; both ways along a
                                ///< line
    double conditioning = 0;    ///< prompts, and an image if there is one
    double imageEncode = 0;     ///< part of conditioning
    double denoise = 0;         ///< all steps; one if their number is not known
    double decode = 0;          ///< including frames to the host
    double transfers = 0;       ///< weights from the host's memory

    [[nodiscard]] double total() const { return conditioning + denoise + decode + transfers; }
};

/// Returns the heads of the device that has most of them, after the tensor axis and Ulysses.
std::int64_t mostHeads(const AcceleratorCase& of);

/// Returns the mean of the devices' heads over these: 1 where all have as many.
double headEfficiency(const AcceleratorCase& of);

/// Returns the chunks of heads that the case's exchange is cut into: 1 without Ulysses, and no more than a
/// device has heads.
int headChunkCount(const AcceleratorCase& of);

CaseSeconds foreseeSeconds(const AcceleratorCase& of, const EfficiencyValues& efficiencies);

/// Bytes that a device holds at most while denoising.
struct CaseMemory {
    double weights = 0;  ///< weights of all experts
    double activations = 0;
    double exchange = 0;  ///< buffers of keys and values

    [[nodiscard]] double total() const { return weights + activations + exchange; }
};

CaseMemory foreseeMemory(const AcceleratorCase& of);

/// Block sizes of a TPU kernel; 0 of kernels that take none.
struct BlockPair {
    std::int64_t q = 0;
    std::int64_t kv = 0;
};
/// Returns the case's own, or what its kernel takes by itself.
BlockPair effectiveBlocks(const AcceleratorCase& of);

/// Returns the bytes on the chip that a kernel takes for the scores of such blocks.
double scratchBytes(const AcceleratorKernel& kernel, const BlockPair& blocks);

}  // namespace meshreel
