// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/evaluation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/media/image.h"
#include "engine/studies/evaluation/contact_sheet.h"
#include "engine/studies/evaluation/evaluation_report.h"
#include "engine/studies/evaluation/prompt_video.h"

namespace meshreel {
namespace {

constexpr std::size_t clipsOfSheet = 40;

Tensor clipFor(std::size_t number, const HeldOutPrompt& prompt, const EvaluationSettings& settings,
               const EvaluationFolder& folder, const StopToken& stop) {
    if (const std::optional<Tensor> kept = folder.clip(number, prompt))
        return *kept;
    const Tensor frames =
        videoOf(prompt.prompt, settings.seed + static_cast<std::int64_t>(number), settings, stop);
    folder.keepClip(number, prompt, frames);
    return frames;
}

}  // namespace

Evaluation evaluateModel(const EvaluationSettings& settings, std::span<const HeldOutPrompt> prompts,
                         const EvaluationFolder& folder, const OnEvaluatedClip& onClip,
                         const StopToken& stop) {
    Evaluation evaluation{.settings = settings, .clips = {}, .figures = {}};
    for (std::size_t number = 0; number < prompts.size(); ++number) {
        const Tensor frames = clipFor(number, prompts[number], settings, folder, stop);
        evaluation.clips.push_back({prompts[number], findingsOf(frames)});
        if (onClip)
            onClip(evaluation.clips.size(), evaluation.clips.back());
    }
    evaluation.figures = measureFigures(evaluation.clips);
    return evaluation;
}

void writeResults(const Evaluation& evaluation, const EvaluationFolder& folder) {
    writeFileAtomically(folder.file("figures.json"), evaluationJson(evaluation));
    std::vector<Tensor> clips;
    const std::size_t shown = std::min(clipsOfSheet, evaluation.clips.size());
    for (std::size_t number = 0; number < shown; ++number)
        if (std::optional<Tensor> clip = folder.clip(number, evaluation.clips[number].wanted))
            clips.push_back(std::move(*clip));
    if (!clips.empty())
        writePng(folder.file("contact-sheet.png"), contactSheet(clips));
}

}  // namespace meshreel
