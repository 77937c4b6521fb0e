// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/attention/attention_mode.h"
#include "engine/planning/foresight/hardware_profile.h"

namespace meshreel {

/// An attention kernel of accelerators, and what is known of all kernels like it. The shares are class means:
/// efficiencies of hardware and program are found around them.
struct AcceleratorKernel {
    std::string_view name;
    double share;             ///< of the matrix rate that its products reach
    double startRows;         ///< rows of a block of queries whose time the start of a block costs
    std::int64_t startKeys;   ///< keys of a block that startRows is stated for; 0: they hold for any number
    double scoreBytes;        ///< of scratch for each score of a block; 0: scratch does not bound its blocks
    std::int64_t stripKeys;   ///< keys whose scores are held at a time; 0: those of a block
    double hiddenSoftmax;     ///< share of the softmax that runs beside the matrix unit
    bool warpInstructions;    ///< of GPUs: it uses the matrix instructions of older hardware
    std::int64_t blockQ = 0;  ///< sizes where nobody says which; 0: the kernel has no such sizes
    std::int64_t blockKv = 0;
};

std::span<const AcceleratorKernel> acceleratorKernels();

/// nullptr for a name that is not in the table.
const AcceleratorKernel* findAcceleratorKernel(std::string_view name);

/// A program that generates with Wan, as far as its speed goes.
struct AcceleratorProgram {
    std::string_view name;
    std::string_view publishedAs;  ///< how the names of frameworks in published times begin, in lower case
    double bytesPerValue;     ///< read and written between products for each feature of a token and layer
    bool sharesVae;           ///< strips of the video over the devices; otherwise one device decodes
    bool weightsOverContext;  ///< the context axis shards weights too, so that they take less memory
    bool gathersKeys;         ///< has modes in which devices gather all keys and values
    bool splitsGuidance;      ///< halves of guidance go to two groups of devices unless it is said otherwise
    std::string_view hopperKernel;  ///< of GPUs; older generations run fa2
    std::string_view blackwellKernel;
};

std::span<const AcceleratorProgram> acceleratorPrograms();

/// By its name. Throws Error{Project} with the names there are.
const AcceleratorProgram& requireProgram(std::string_view name);

/// The program whose `publishedAs` begins the framework's name; the table's last, which stands for any, else.
const AcceleratorProgram& programPublishedAs(std::string_view framework);

/// The kernel that a program uses for a mode's local attention on such hardware, where nothing else is said.
const AcceleratorKernel& kernelFor(const HardwareProfile& hardware, const AcceleratorProgram& program,
                                   AttentionKernel kernel);

}  // namespace meshreel
