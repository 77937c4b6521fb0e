// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_pipelines.h"

#include <atomic>
#include <string_view>

#include "engine/base/error.h"
#include "engine/gpu/cuda_library.h"
#include "engine/gpu/cuda_side.h"
#include "engine/gpu/ptx_launch.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {
namespace {

std::atomic<std::size_t> shadersMade{0};

}  // namespace

ShaderIndex::ShaderIndex() : m_value(shadersMade++) {}

GpuPipelines::~GpuPipelines() {
    if (m_gpu.cuda() != nullptr && m_gpu.cuda()->isStuck())
        return;  // still in use
    const VulkanDeviceFunctions& calls = m_gpu.calls();
    for (const Entry& entry : m_entries) {
        calls.vkDestroyPipeline(m_gpu.device(), entry.program.pipeline, nullptr);
        calls.vkDestroyPipelineLayout(m_gpu.device(), entry.program.layout, nullptr);
        if (entry.program.text == nullptr)
            continue;
        if (entry.program.kernel != nullptr)
            m_gpu.ptxCalls().destroyFunction(m_gpu.device(), entry.program.kernel, nullptr);
        m_gpu.ptxCalls().destroyModule(m_gpu.device(), entry.program.text, nullptr);
    }
}

void GpuPipelines::buildPtx(const GpuShader& shader, GpuProgram& program) const {
    const PtxLaunchFunctions& calls = m_gpu.ptxCalls();
    if (calls.launch == nullptr)
        throw Error(ErrorKind::Internal, "a kernel of PTX was asked of a GPU that launches none");
    const PtxKernel kernel = shader.ptx();
    const auto require = [&](VkResult result, std::string_view function) {
        if (result == VK_SUCCESS)
            return;
        if (isOutOfMemory(result) || result == VK_ERROR_DEVICE_LOST)
            requireVulkan(result, function);
        throw RefusedShader(RefusedShader::Fault::Refused,
                            m_explains ? explainPtxRefusal(m_gpu.name(), kernel, result)
                                       : tellPtxRefusal(m_gpu.name(), kernel, result),
                            sentence("Update the GPU driver; Vulkan's shaders compute meanwhile"));
    };
    const PtxModuleInfo text{.bytes = kernel.text.size() + 1, .text = kernel.text.c_str()};
    if (program.text == nullptr)
        require(calls.createModule(m_gpu.device(), &text, nullptr, &program.text), "vkCreateCudaModuleNV");
    const PtxFunctionInfo function{.of = program.text, .entry = kernel.entry.c_str()};
    require(calls.createFunction(m_gpu.device(), &function, nullptr, &program.kernel),
            "vkCreateCudaFunctionNV");
    program.threads = kernel.threads;
    program.dynamicBytes = kernel.dynamicBytes;
}

std::shared_ptr<const CudaKernel> GpuPipelines::buildForCuda(const GpuShader& shader,
                                                             GpuProgram& program) const {
    if (shader.addresses.empty())
        throw Error(ErrorKind::Internal, "a kernel of PTX does not say where its addresses lie");
    const PtxKernel kernel = shader.ptx();
    try {
        auto made = std::make_shared<const CudaKernel>(m_gpu.cuda()->onThisThread(), kernel.text,
                                                       kernel.entry, kernel.dynamicBytes);
        program.ofCuda = made.get();
        program.threads = kernel.threads;
        program.addresses = shader.addresses;
        return made;
    } catch (const CudaRefusal& failure) {  // what else fails says nothing of the kernel
        throw RefusedShader(RefusedShader::Fault::Refused, failure.message(),
                            sentence("Update the GPU driver; Vulkan's shaders compute meanwhile"));
    }
}

void GpuPipelines::build(const GpuShader& shader, GpuProgram& program) const {
    const VulkanDeviceFunctions& calls = m_gpu.calls();
    const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                        static_cast<std::uint32_t>(shader.constants)};
    VkPipelineLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &constants;
    requireVulkan(calls.vkCreatePipelineLayout(m_gpu.device(), &layout, nullptr, &program.layout),
                  "vkCreatePipelineLayout");
    VkShaderModuleCreateInfo code{};
    code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    code.codeSize = shader.words.size_bytes();
    code.pCode = shader.words.data();
    VkShaderModule shaderModule = nullptr;
    requireVulkan(calls.vkCreateShaderModule(m_gpu.device(), &code, nullptr, &shaderModule),
                  "vkCreateShaderModule");
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = shaderModule;
    info.stage.pName = "main";
    info.layout = program.layout;
    std::vector<VkSpecializationMapEntry> places;
    for (std::uint32_t index = 0; index < shader.specialised.size(); ++index)
        places.push_back({index, index * static_cast<std::uint32_t>(sizeof index), sizeof index});
    const VkSpecializationInfo specialised{static_cast<std::uint32_t>(places.size()), places.data(),
                                           places.size() * sizeof(std::uint32_t), shader.specialised.data()};
    if (!places.empty())
        info.stage.pSpecializationInfo = &specialised;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{};
    subgroup.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
    subgroup.requiredSubgroupSize = shader.subgroup;
    if (shader.subgroup > 0 && m_gpu.matrices().choosesSubgroup) {
        info.stage.pNext = &subgroup;
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    }
    const VkResult result =
        calls.vkCreateComputePipelines(m_gpu.device(), nullptr, 1, &info, nullptr, &program.pipeline);
    calls.vkDestroyShaderModule(m_gpu.device(), shaderModule, nullptr);
    requireVulkan(result, "vkCreateComputePipelines");
}

const GpuProgram& GpuPipelines::program(const GpuShader& shader) {
    if (m_entries.size() <= shader.index.value())
        m_entries.resize(shader.index.value() + 1);
    Entry& entry = m_entries[shader.index.value()];
    if (!entry.program.isBuilt()) {
        if (shader.ptx && m_gpu.matrices().ptx == PtxWay::Cuda)
            entry.ofCuda = buildForCuda(shader, entry.program);
        else if (shader.ptx)
            buildPtx(shader, entry.program);
        else
            build(shader, entry.program);
    }
    if (entry.check == Entry::Check::Open) {
        entry.check = Entry::Check::Running;  // it asks for the program itself
        try {
            GpuStream stream(m_gpu);
            entry.difference = shader.check(*this, stream, shader);
        } catch (...) {
            entry.check = Entry::Check::Open;
            throw;
        }
        entry.check = Entry::Check::Done;
    }
    if (entry.check == Entry::Check::Done && !(entry.difference <= 1.0))  // also when it is not a number
        throw RefusedShader(
            RefusedShader::Fault::Wrong,
            sentence("{} computes wrong values in the shader {}: {:.3g} times the error that is allowed",
                     m_gpu.name(), shader.name, entry.difference),
            sentence("Update the GPU driver, or use the CPU"));
    return entry.program;
}

}  // namespace meshreel
