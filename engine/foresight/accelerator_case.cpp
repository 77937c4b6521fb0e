// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/accelerator_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/strings.h"
#include "engine/models/wan/wan_config.h"

namespace meshreel {

namespace {

// Shares and starts of TPU kernels are relative to what the depth of the matrix unit leaves of its peak for
// heads of 128 (two thirds on v6e and v7x). The custom kernel keeps f32 scores and bf16 weights of a whole
// block; a fixed bound needs no second look at the scores. FlashAttention-3 hides most of the softmax, -2
// none (arXiv 2407.08608).
constexpr std::array kernelTable{
    AcceleratorKernel{"splash", 0.5, 200, 0, 6, 512, 0.8, false, 2048, 2048},
    AcceleratorKernel{"custom", 0.95, 2200, 0, 6, 0, 0.8, false, 4096, 1024},
    AcceleratorKernel{"fixed-m", 1.0, 1800, 2048, 4, 0, 0.8, false, 6400, 2048},
    AcceleratorKernel{"fa2", 0.65, 0, 0, 0, 0, 0.0, true},
    AcceleratorKernel{"fa3", 0.72, 0, 0, 0, 0, 0.8, false},
    AcceleratorKernel{"fa4", 0.68, 0, 0, 0, 0, 0.8, false},
    AcceleratorKernel{"sdpa", 0.5, 0, 0, 0, 0, 0.5, false},
    AcceleratorKernel{"sage", 1.2, 0, 0, 0, 0, 0.5, false},
};

constexpr double compiled = 40;  // bytes: norms, rotations and residuals are fused into few passes
constexpr double eager = 150;

constexpr std::array programTable{
    AcceleratorProgram{"maxdiffusion", "maxdiffusion", compiled, true, true, true, true, "fa3", "fa4"},
    AcceleratorProgram{"wan-patched", "wan (patched", eager, false, false, false, false, "fa3", "fa2"},
    AcceleratorProgram{"wan", "wan (", eager, false, false, false, false, "fa3", "fa2"},
    AcceleratorProgram{"sglang", "sglang", compiled, true, false, false, true, "fa3", "fa4"},
    AcceleratorProgram{"fastvideo", "fastvideo", compiled, false, false, false, false, "fa3", "fa4"},
    AcceleratorProgram{"lightx2v", "lightx2v", compiled, false, false, false, true, "fa3", "fa4"},
    AcceleratorProgram{"tensorrt-llm", "tensorrt", compiled, true, false, true, true, "fa3", "fa4"},
    // vllm-omni, pull request 1379, and diffusers, pull request 12996: "Ulysses anything".
    AcceleratorProgram{"vllm-omni", "vllm", eager, false, false, false, true, "fa3", "fa4",
                       UnevenHeads::Padded},
    AcceleratorProgram{"sparse-videogen", "sparse", eager, false, false, false, true, "fa2", "fa2"},
    AcceleratorProgram{"diffusers", "diffusers", eager, false, false, false, true, "fa2", "fa2",
                       UnevenHeads::Padded},
    AcceleratorProgram{"xdit", "xdit", eager, false, false, false, false, "fa2", "fa2"},
    AcceleratorProgram{"diffsynth", "diffsynth", eager, false, false, false, true, "fa2", "fa2"},
    AcceleratorProgram{"mstar", "mstar", compiled, false, false, false, true, "fa3", "fa4"},
    AcceleratorProgram{"other", "", eager, false, false, true, true, "fa3", "fa4", UnevenHeads::Split},
};

const AcceleratorKernel& kernelNamed(std::string_view name) {
    return *findAcceleratorKernel(name);
}

}  // namespace

std::span<const AcceleratorKernel> acceleratorKernels() {
    return kernelTable;
}

const AcceleratorKernel* findAcceleratorKernel(std::string_view name) {
    const auto* const found = std::ranges::find(kernelTable, name, &AcceleratorKernel::name);
    return found == kernelTable.end() ? nullptr : found;
}

std::span<const AcceleratorProgram> acceleratorPrograms() {
    return programTable;
}

bool exchangesHeads(const AcceleratorProgram& program, std::int64_t heads, int devices) {
    if (heads % devices == 0)
        return true;
    switch (program.unevenHeads) {
        case UnevenHeads::Refused:
            return false;
        case UnevenHeads::Padded:
            return ceilDivide(heads, devices) * (devices - 1) < heads;
        case UnevenHeads::Split:
            return heads >= devices;
    }
    return false;
}

const AcceleratorProgram& requireProgram(std::string_view name) {
    std::vector<Sentence> names;
    for (const AcceleratorProgram& program : programTable) {
        if (program.name == name)
            return program;
        names.emplace_back(program.name);
    }
    throw Error(ErrorKind::Project, sentence("No program called {} is known", name), "--program",
                sentence("Programs: {}", commaList(names)));
}

const AcceleratorProgram& programPublishedAs(std::string_view framework) {
    std::string lower(framework);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return *std::ranges::find_if(programTable, [&](const AcceleratorProgram& program) {
        return lower.starts_with(program.publishedAs) || lower == program.name;
    });
}

const AcceleratorKernel& kernelFor(const HardwareProfile& hardware, const AcceleratorProgram& program,
                                   AttentionKernel kernel) {
    if (hardware.kind == AcceleratorKind::Tpu)
        return kernelNamed(kernel == AttentionKernel::CustomFixedM ? "fixed-m"
                           : kernel == AttentionKernel::Custom     ? "custom"
                                                                   : "splash");
    return kernelNamed(hardware.generation == "hopper"      ? program.hopperKernel
                       : hardware.generation == "blackwell" ? program.blackwellKernel
                                                            : "fa2");
}

namespace {

bool contains(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

/// Names a released model by the words of published tables ("Wan2.1-I2V-14B", "Wan2.2-T2V-A14B (4 steps)").
std::string releasedName(const PublishedTime& row) {
    const std::string& name = row.model;
    const bool fromImage = contains(name, "I2V") || row.task == "i2v";
    if (contains(name, "1.3B"))
        return contains(name, "VACE") ? "Wan2.1-VACE-1.3B" : "Wan2.1-T2V-1.3B";
    if (contains(name, "5B"))
        return "Wan2.2-TI2V-5B";
    if (contains(name, "Animate"))
        return "Wan2.2-Animate-14B";
    if (contains(name, "VACE"))
        return "Wan2.1-VACE-14B";
    if (contains(name, "A14B"))
        return fromImage ? "Wan2.2-I2V-A14B" : "Wan2.2-T2V-A14B";
    if (contains(name, "14B"))
        return fromImage ? "Wan2.1-I2V-14B-720P" : "Wan2.1-T2V-14B";
    return {};
}

/// The facts of a released model, read once; null for an empty name.
std::shared_ptr<const ModelFacts> releasedFacts(const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, std::shared_ptr<const ModelFacts>> known;
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(name); found != known.end())
        return found->second;
    std::shared_ptr<const ModelFacts> facts;
    if (std::optional<ModelFacts> released = releasedModelFacts(name))
        facts = std::make_shared<const ModelFacts>(*std::move(released));
    return known[name] = facts;
}

/// The kernel that a row names, or else the one that its program would use.
const AcceleratorKernel& statedKernel(const PublishedTime& row, const HardwareProfile& hardware,
                                      const AcceleratorProgram& program) {
    const std::string& attention = row.attention;
    if (hardware.kind == AcceleratorKind::Tpu) {
        const AttentionKernel kernel = contains(attention, "fixed_m") ? AttentionKernel::CustomFixedM
                                       : attention.empty() || contains(attention, "custom")
                                           ? AttentionKernel::Custom
                                           : AttentionKernel::Flash;
        return kernelFor(hardware, program, kernel);
    }
    if (contains(attention, "sage"))
        return *findAcceleratorKernel("sage");
    if (contains(attention, "sdpa") || contains(row.framework, "SDPA"))
        return *findAcceleratorKernel("sdpa");
    // The tables of Wan's own repository for Wan 2.1 are older than FlashAttention-3 in it.
    if (row.framework == "Wan (own repo)" && contains(row.model, "Wan2.1"))
        return *findAcceleratorKernel("fa2");
    static const RegularExpression named(R"(\bFA([234])\b)");
    if (const auto found = named.search(attention + " " + row.notes)) {
        const std::string version =
            hardware.generation == "hopper" || hardware.generation == "blackwell" ? (*found)[1] : "2";
        return *findAcceleratorKernel("fa" + version);
    }
    return kernelFor(hardware, program, AttentionKernel::Flash);
}

/// A count behind a word: 4 of "fsdp 4" and of "fsdp4"; 1 where the word is not there.
int countBehind(const std::string& text, const std::string& word) {
    const auto found = RegularExpression(word + R"( ?(\d{1,4}))").search(text);
    return found ? std::stoi((*found)[1]) : 1;
}

/// What a source leaves open is filled in as the program does by itself.
AcceleratorMesh statedMesh(const PublishedTime& row, AcceleratorCase& made) {
    const auto atLeastOne = [](std::int64_t count) {
        return static_cast<int>(std::max<std::int64_t>(count, 1));
    };
    const int devices = atLeastOne(row.devices);
    const bool tpu = made.hardware->kind == AcceleratorKind::Tpu;
    const bool gathers = tpu && (row.attention == "flash" || row.attention == "tokamax_flash");
    AcceleratorMesh mesh{.data = atLeastOne(row.data),
                         .fsdp = countBehind(row.otherParallel, "fsdp"),
                         .ring = atLeastOne(row.ring),
                         .ulysses = atLeastOne(row.ulysses),
                         .tensor = atLeastOne(row.tensor),
                         .ownFsdp = false};
    int context = static_cast<int>(row.context);
    if (context == 0 && row.ulysses > 0 && row.ring == 0) {
        context = std::max(1, devices / mesh.data / mesh.tensor);
    } else if (context == 0) {
        made.splitAssumed = devices > 1 && !tpu && row.ulysses == 0;
        if (devices > 1 && devices % 2 == 0 && made.forwards == 2 && mesh.data == 1 && mesh.fsdp == 1 &&
            made.program->splitsGuidance)
            mesh.data = 2;
        context = std::max(1, devices / mesh.data / mesh.tensor);
        const bool headsDivide = made.model->transformer.heads % (context * mesh.tensor) == 0;
        mesh.ulysses = gathers || !headsDivide ? 1 : context;
        mesh.ring = gathers ? 1 : context / mesh.ulysses;
    }
    if (const int shared = mesh.ring * mesh.ulysses; shared < context)
        mesh.gathered = context / shared;
    return mesh;
}

}  // namespace

std::string AcceleratorMesh::label() const {
    std::string text = fmt::format("dp{}", data);
    if (fsdp > 1)
        text += fmt::format("-fsdp{}", fsdp);
    text += fmt::format("-cp{}", context());
    if (tensor > 1)
        text += fmt::format("-tp{}", tensor);
    text += fmt::format("-U{}R{}", ulysses, ring);
    return gathered > 1 ? text + fmt::format("G{}", gathered) : text;
}

std::int64_t AcceleratorCase::tokens() const {
    if (passTokens > 0)
        return passTokens;
    const WanTransformerConfig& config = model->transformer;
    const std::int64_t spatial = model->vae.spatialFactor();
    const std::int64_t latentFrames = (frames - 1) / model->vae.temporalFactor() + 1;
    return latentFrames / config.patch[0] * (height / spatial / config.patch[1]) *
           (width / spatial / config.patch[2]);
}

StatedCase statedCase(const PublishedTime& row, const std::vector<Hardware>& profiles) {
    AcceleratorCase made;
    if (!contains(row.hardware, "not stated") && !contains(row.hardware, "likely"))
        made.hardware = hardwareNamedIn(row.hardware, profiles);
    if (!made.hardware)
        return {{}, sentence("No hardware profile is published as {}", row.hardware)};
    made.model = releasedFacts(releasedName(row));
    if (!made.model || contains(row.model, "not stated"))
        return {{}, sentence("The model is not stated")};
    if (row.width == 0 || row.height == 0 || row.frames == 0)
        return {{}, sentence("The video's size is not stated")};
    for (const char* word : {"sparse", "TeaCache", "MagCache", "cache-dit"})
        if (contains(row.attention + " " + row.framework + " " + row.notes, word) && row.use == "no")
            return {{}, sentence("{} skips work by the video's content", word)};
    if (contains(row.notes, "distilled, sparse"))
        return {{}, sentence("{} skips work by the video's content", "sparse attention")};
    made.program = &programPublishedAs(row.framework);
    made.kernel = &statedKernel(row, *made.hardware, *made.program);
    made.frames = row.frames;
    made.height = row.height;
    made.width = row.width;
    made.steps = static_cast<double>(row.steps);
    made.forwards = row.forwards > 0 ? static_cast<double>(row.forwards) : 2;
    made.videos = std::max<std::int64_t>(row.batch, 1);
    made.mesh = statedMesh(row, made);
    made.blockQ = row.blockQ;
    made.blockKv = row.blockKv;
    if (made.hardware->kind == AcceleratorKind::Tpu && row.attention.empty() && row.blockQ == 0) {
        made.blockQ = 8448;  // MaxDiffusion's published sizes for its Ulysses mode
        made.blockKv = 1024;
    }
    made.bothWays = contains(row.attention, "bidir");
    made.numberType = row.numberType == "fp8" || row.numberType == "nvfp4" ? row.numberType : "bf16";
    made.fromImage = row.task == "i2v";
    made.offloads = contains(row.otherParallel, "offload");
    made.textOnCpu = contains(row.otherParallel, "t5 on CPU");
    made.vaeDevices = static_cast<int>(row.devices);
    made.vaeAlone = contains(row.otherParallel, "VAE on 1");
    return {made, {}};
}

}  // namespace meshreel
