// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/foresight/accelerator_program.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "engine/base/error.h"

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
    AcceleratorProgram{"vllm-omni", "vllm", eager, false, false, false, true, "fa3", "fa4"},
    AcceleratorProgram{"sparse-videogen", "sparse", eager, false, false, false, true, "fa2", "fa2"},
    AcceleratorProgram{"diffusers", "diffusers", eager, false, false, false, true, "fa2", "fa2"},
    AcceleratorProgram{"xdit", "xdit", eager, false, false, false, false, "fa2", "fa2"},
    AcceleratorProgram{"diffsynth", "diffsynth", eager, false, false, false, true, "fa2", "fa2"},
    AcceleratorProgram{"mstar", "mstar", compiled, false, false, false, true, "fa3", "fa4"},
    AcceleratorProgram{"other", "", eager, false, false, true, true, "fa3", "fa4"},
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

}  // namespace meshreel
