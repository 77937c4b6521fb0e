// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"

namespace meshreel {

/// Links that connect devices up to some distance.
struct LinkClass {
    std::string name;
    std::int64_t devices = 1;  ///< consecutive devices that reach each other by these links or nearer ones
    double bandwidth = 0;      ///< bytes a second in one direction for one transfer: achieved, not nominal
    int ports = 1;             ///< transfers to different devices at a time, each with that bandwidth
    double latency = 0;        ///< seconds of a transfer without bytes, with starting it and waiting for it
    double unitsShare = 0;     ///< share of the device's units that copy during a transfer; 0 if an engine
                               ///< does
    std::string topology;  ///< pair, ring, torus, switch, pcie or line. In a line nothing leads around the
                           ///< ends; of the others it is said, and not computed with
};

enum class AcceleratorKind : std::uint8_t { Tpu, Gpu, ConsumerGpu };

/// "tpu", "gpu", "consumer_gpu".
std::string_view nameOf(AcceleratorKind kind);

/// One device of a mesh on hardware that this machine need not have: a file of configs/hardware. Rates are
/// per second.
struct HardwareProfile {
    std::filesystem::path file;  ///< that it was read from
    std::string id;              ///< the file's name without its ending
    std::string title;
    std::vector<std::string> publishedAs;  ///< words by which published times name it
    AcceleratorKind kind = AcceleratorKind::Gpu;
    std::vector<std::string> sources;
    std::string device;     ///< what one device of the mesh is
    std::string numbering;  ///< the order of devices on the mesh
    std::string defaultProgram;
    std::string generation;  ///< "hopper", "blackwell": which kernels programs choose; others take the oldest
    double bf16 = 0;         ///< FLOPs of matrix products of bf16 with f32 sums
    double warp = 0;         ///< with the instructions of older kernels; equal to bf16 when none are slower
    double fp8 = 0;          ///< FLOPs of 8-bit matrix products
    double convolution = 0;  ///< FLOPs of the number type that VAEs convolve in
    double exponentials = 0;  ///< rate of the softmax
    double memory = 0;        ///< bytes
    double bandwidth = 0;     ///< bytes, between memory and device
    double scratch = 0;       ///< bytes on the chip that a kernel may plan with; 0: it does not bound kernels
    std::int64_t matrixDepth = 16;  ///< terms of a dot product that the matrix unit sums at once
    std::int64_t units = 1;  ///< that each work at a tile of queries of their own: multiprocessors of a GPU
    std::vector<LinkClass> links;  ///< from near to far; the last reaches every device
    std::string efficienciesOf;    ///< the profile whose measured times this one shares; its own id by itself
    std::filesystem::path measured = {};  ///< times of this very hardware, see readPublishedTimes()
    std::vector<Problem> warnings = {};   ///< texts of the file that may be cut short, with their lines
};

using Hardware = std::shared_ptr<const HardwareProfile>;

/// Throws ProjectError with every problem: "file:line", the key and what to write.
Hardware readHardwareProfile(const std::filesystem::path& file);

/// configs/hardware beside or in the resources. Throws as resourceFolder() does.
std::filesystem::path hardwareFolder();

/// Returns every profile of hardwareFolder(), by name.
std::vector<Hardware> hardwareProfiles();

/// Returns a profile by its name or by the path of a file. Throws Error{Project} with the names there are.
Hardware requireHardware(const std::string& nameOrFile);

/// Returns the profile whose `publishedAs` has the longest words that occur in the text; null when none does.
Hardware hardwareNamedIn(std::string_view text, const std::vector<Hardware>& profiles);

}  // namespace meshreel
