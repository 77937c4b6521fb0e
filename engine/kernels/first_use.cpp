// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/first_use.h"

#include <algorithm>
#include <memory>
#include <span>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/record_json.h"
#include "engine/gpu/asked_process.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_list.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/gpu/gpu_work.h"
#include "engine/kernels/gpu/gpu_kernels.h"

namespace meshreel {
namespace {

void tryOn(const std::string& id, const NamedVariant& variant) {
    const std::vector<ChosenGpu> gpus = numberedGpus(recentDrivers());
    const auto chosen =
        std::ranges::find_if(gpus, [&](const ChosenGpu& each) { return each.facts.id == id; });
    if (chosen == gpus.end())
        throw Error(ErrorKind::Device, sentence("the GPU {} is not here any more", id));
    const std::shared_ptr<GpuWork> gpu = openGpus(std::span(&*chosen, 1), GpuPool::usualBlock).front();
    tryVariant(gpu->pipelines(), variant);
}

}  // namespace

FirstUseQuestion usualFirstUse() {
    return {.program = {(executableFolder() / "meshreel").string(), "devices", "--try-kernel"}};
}

Sentence askFirstUse(const FirstUseQuestion& question, const std::string& gpu, const NamedVariant& variant) {
    std::vector<std::string> line = question.program;
    line.insert(line.end(), {gpu, variant.kernel, variant.form, variant.block});
    try {
        AskedProcess process(line);
        const AskedProcess::Answer answer = process.answer(AskedProcess::Clock::now() + question.patience);
        if (!answer.status)
            return sentence("its first use did not end within {} s",
                            std::chrono::duration<double>(question.patience).count());
        if (answer.signal())
            return answer.lastMessage.empty()
                       ? sentence("its first use crashed (signal {})", *answer.signal())
                       : sentence("its first use crashed (signal {}): {}", *answer.signal(),
                                  answer.lastMessage);
        try {
            const RecordJson json = RecordJson::parse(answer.text);
            static_cast<void>(json.at("why"));  // an answer to another question has none
            return JsonValue<Sentence>::take(json, "why");
        } catch (const RecordJson::exception&) {
            return sentence("it ended the program that tried it (exit code {})", *answer.status);
        }
    } catch (const Error& failure) {
        return failure.asSentence();
    }
}

std::string answerOfFirstUse(const std::string& gpu, const NamedVariant& variant) {
    Sentence why;
    try {
        tryOn(gpu, variant);
    } catch (const Error& failure) {
        why = failure.asSentence();
    }
    RecordJson json = RecordJson::object();
    JsonValue<Sentence>::put(json, "why", why);
    return json.dump();
}

}  // namespace meshreel
