// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/base/sentence.h"
#include "engine/catalogue/model_facts.h"
#include "engine/foresight/hardware_profile.h"
#include "engine/foresight/published_times.h"
#include "engine/kernels/attention/kernel_table.h"

namespace meshreel {

/// An attention kernel of accelerators, and what is known of all kernels like it. The shares are means of
/// their class: efficiencies of hardware and program are found around them.
struct AcceleratorKernel {
    std::string_view name;
    double share;             ///< part of the matrix rate that its products reach
    double startRows;         ///< rows of a block of queries whose time the start of a block costs
    std::int64_t startKeys;   ///< keys of a block that startRows is stated for; 0: they hold for any number
    double scoreBytes;        ///< scratch for each score of a block; 0: scratch does not limit its blocks
    std::int64_t stripKeys;   ///< keys whose scores are held at a time; 0: those of a block
    double hiddenSoftmax;     ///< share of the softmax that runs beside the matrix unit
    bool warpInstructions;    ///< on GPUs: it uses the matrix instructions of older hardware
    std::int64_t blockQ = 0;  ///< sizes where nobody says which; 0: the kernel has no such sizes
    std::int64_t blockKv = 0;
};

std::span<const AcceleratorKernel> acceleratorKernels();

/// nullptr for a name that is not in the table.
const AcceleratorKernel* findAcceleratorKernel(std::string_view name);

/// How a program shares out heads that the devices which exchange them do not divide.
enum class UnevenHeads : std::uint8_t {
    Refused,
    Padded,  ///< ⌈heads / devices⌉ on each, filled up on the last one, which must have a head of its own
    Split,   ///< ⌈heads / devices⌉ on some and ⌊heads / devices⌋ on the others
};

/// A program that generates with Wan, as far as its speed goes.
struct AcceleratorProgram {
    std::string_view name;
    std::string_view publishedAs;  ///< how the names of frameworks in published times begin, in lower case
    double bytesPerValue;     ///< read and written between products for each feature of a token and layer
    bool sharesVae;           ///< strips of the video over the devices; otherwise one device decodes
    bool weightsOverContext;  ///< the context axis shards weights too, so that they take less memory
    bool gathersKeys;         ///< has modes in which devices gather all keys and values
    bool splitsGuidance;      ///< halves of guidance go to two groups of devices unless it is said otherwise
    std::string_view hopperKernel;  ///< on Hopper GPUs; older generations run fa2
    std::string_view blackwellKernel;
    UnevenHeads unevenHeads = UnevenHeads::Refused;
};

std::span<const AcceleratorProgram> acceleratorPrograms();

/// Returns whether the program can exchange so many heads between so many devices.
bool exchangesHeads(const AcceleratorProgram& program, std::int64_t heads, int devices);

/// Finds it by its name. Throws Error{Project} listing the names.
const AcceleratorProgram& requireProgram(std::string_view name);

/// Returns the program whose `publishedAs` begins the framework's name; else the table's last, which
/// represents any.
const AcceleratorProgram& programPublishedAs(std::string_view framework);

/// Returns the kernel that a program uses for a mode's local attention on such hardware, where nothing else
/// is said.
const AcceleratorKernel& kernelFor(const HardwareProfile& hardware, const AcceleratorProgram& program,
                                   AttentionKernel kernel);

/// How the devices of a case divide the work: data × fsdp × context × tensor, context = gathered × ring ×
/// ulysses. Neighbours on the mesh are tensor devices first, then ulysses, ring or gathered, fsdp and data.
struct AcceleratorMesh {
    int data = 1;  ///< divides videos and the halves of guidance
    int fsdp = 1;  ///< shards of the weights, on the same devices as other axes where a program lays it so
    int gathered = 1;  ///< groups whose keys and values every device gathers
    int ring = 1;
    int ulysses = 1;
    int tensor = 1;
    bool ownFsdp = true;  ///< fsdp has devices of its own, which divide the batch; else it uses the others

    [[nodiscard]] int context() const { return gathered * ring * ulysses; }
    [[nodiscard]] int devices() const { return data * context() * tensor * (ownFsdp ? fsdp : 1); }
    /// "dp2-cp4-U2R2", with fsdp, tp and G (gathered) where they are more than 1.
    [[nodiscard]] std::string label() const;

    friend bool operator==(const AcceleratorMesh&, const AcceleratorMesh&) = default;
};

/// A generation on hardware that this machine need not have: all that its time depends on.
struct AcceleratorCase {
    Hardware hardware;
    const AcceleratorProgram* program = nullptr;
    const AcceleratorKernel* kernel = nullptr;
    std::shared_ptr<const ModelFacts> model;
    std::int64_t frames = 0;
    std::int64_t passTokens = 0;  ///< of the transformer's sequence, with all that is beside the video's;
                                  ///< 0: those of the frames
    std::int64_t height = 0;
    std::int64_t width = 0;
    double steps = 0;         ///< computed in full: step caches shorten the others; 0 when it is not said
    double forwards = 2;      ///< passes of the transformer in a step for one video: 2 with guidance
    double windows = 1;       ///< that a step sees the video through, each with so many passes
    std::int64_t videos = 1;  ///< at a time
    AcceleratorMesh mesh;
    std::int64_t blockQ = 0;  ///< for TPU kernels
    std::int64_t blockKv = 0;
    bool bothWays = false;  ///< keys and values travel both ways along a line, with no way around its ends
    int chunks = 1;         ///< chunks of heads under Ulysses: one is exchanged while another is computed
    std::string numberType = "bf16";  ///< type of linear layers: bf16, fp8, nvfp4
    bool fromImage = false;           ///< the VAE encodes an image and zero frames
    bool offloads = false;            ///< weights come from the host's memory
    bool textOnCpu = false;
    int vaeDevices = 0;         ///< that divide decoding; 0: those of the mesh
    bool vaeAlone = false;      ///< one device decodes, whatever the program does otherwise
    bool splitAssumed = false;  ///< the source does not say how the devices divide the work

    /// Returns the tokens of the transformer's sequence.
    [[nodiscard]] std::int64_t tokens() const;
};

/// A case, or why there is none.
struct StatedCase {
    std::optional<AcceleratorCase> found;
    Sentence whyNot;
};

/// Returns what a published time was measured on, with what its source leaves open filled in as the program
/// does by itself.
StatedCase statedCase(const PublishedTime& row, const std::vector<Hardware>& profiles);

}  // namespace meshreel
