// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/first_use.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <span>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/record_json.h"
#include "engine/gpu/asked_process.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/cuda_library.h"
#include "engine/gpu/gpu_list.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_work.h"
#include "engine/gpu/vulkan_library.h"
#include "engine/kernels/gpu/gpu_kernels.h"

namespace meshreel {
namespace {

std::shared_ptr<GpuWork> openGpu(const std::string& id) {
    const std::vector<ChosenGpu> gpus = numberedGpus(recentDrivers());
    const auto chosen =
        std::ranges::find_if(gpus, [&](const ChosenGpu& each) { return each.facts.id == id; });
    if (chosen == gpus.end())
        throw Error(ErrorKind::Device, sentence("the GPU {} is not here any more", id));
    return openGpus(std::span(&*chosen, 1), GpuPool::usualBlock).front();
}

/// Throws Error for what says nothing of the variant.
FirstUse useOn(const std::string& id, const NamedVariant& variant) {
    const std::shared_ptr<GpuWork> gpu = openGpu(id);
    gpu->pipelines().explainRefusals();
    try {
        return {.verdict = FirstUseVerdict::Usable, .sizes = tryVariant(gpu->pipelines(), variant)};
    } catch (const RefusedShader& failure) {
        return {.verdict = failure.fault() == RefusedShader::Fault::Wrong ? FirstUseVerdict::Wrong
                                                                          : FirstUseVerdict::Refused,
                .why = failure.asSentence()};
    } catch (const VulkanFailure& failure) {
        if (failure.result() != VK_ERROR_DEVICE_LOST)
            throw;
        return {.verdict = FirstUseVerdict::Crashed, .why = failure.asSentence()};
    } catch (const CudaFailure& failure) {
        if (!failure.isOfKernel())
            throw;
        return {.verdict = FirstUseVerdict::Crashed, .why = failure.asSentence()};
    }
}

/// By a signal that no driver sends itself: of the system, which is short of memory, or of a person.
bool wasEnded(int signal) {
    return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

FirstUse readAnswer(const AskedProcess::Answer& answer, double patience) {
    if (!answer.status)
        return {.verdict = FirstUseVerdict::TimedOut,
                .why = sentence("its first use did not end within {} s", patience)};
    const std::optional<int> signal = answer.signal();
    if (signal && wasEnded(*signal))
        return {.why = sentence("its first use was ended from outside (signal {})", *signal)};
    if (signal)
        return {.verdict = FirstUseVerdict::Crashed,
                .why = answer.lastMessage.empty()
                           ? sentence("its first use crashed (signal {})", *signal)
                           : sentence("its first use crashed (signal {}): {}", *signal, answer.lastMessage)};
    try {
        return takeFields<FirstUse>(RecordJson::parse(answer.text));
    } catch (const RecordJson::exception&) {
        // Of a runner that cannot start, too: its libraries are missing, or another version lies there.
        return {.why = sentence("it ended the program that tried it (exit code {})", *answer.status)};
    }
}

}  // namespace

FirstUseQuestion usualFirstUse() {
    return {.program = {(executableFolder() / "meshreel").string(), "devices", "--try-kernel"}};
}

FirstUse askFirstUse(const FirstUseQuestion& question, const std::string& gpu, const NamedVariant& variant,
                     const StopToken& stop) {
    std::vector<std::string> line = question.program;
    line.insert(line.end(), {gpu, variant.kernel, variant.form, variant.block});
    try {
        AskedProcess process(line);
        return readAnswer(process.answer(AskedProcess::Clock::now() + question.patience, stop),
                          std::chrono::duration<double>(question.patience).count());
    } catch (const Error& failure) {
        if (failure.kind() == ErrorKind::Cancelled)
            throw;
        return {.why = failure.asSentence()};
    }
}

std::string answerOfFirstUse(const std::string& gpu, const NamedVariant& variant) {
    FirstUse use;
    try {
        use = useOn(gpu, variant);
    } catch (const std::exception&) {
        use.why = currentProblem().asSentence();
    }
    RecordJson json = RecordJson::object();
    putFields(json, use);
    return json.dump();
}

}  // namespace meshreel
