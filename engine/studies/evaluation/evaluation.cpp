// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/evaluation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/media/image.h"
#include "engine/studies/evaluation/contact_sheet.h"
#include "engine/studies/evaluation/evaluation_report.h"
#include "engine/studies/evaluation/first_frames.h"
#include "engine/studies/evaluation/prompt_video.h"

namespace meshreel {
namespace {

constexpr std::size_t clipsOfSheet = 40;

/// Makes the videos that the folder does not hold yet.
class ClipMaker {
  public:
    ClipMaker(const EvaluationSettings& settings, std::size_t prompts, const EvaluationFolder& folder)
        : m_settings(settings), m_folder(folder) {
        if (needsFirstFrame(settings.model))
            m_firstFrames = readFirstFrames(firstFramesFile(), prompts);
    }

    [[nodiscard]] EvaluatedClip clip(std::size_t number, const HeldOutPrompt& prompt,
                                     const StopToken& stop) const {
        const Tensor frames = framesFor(number, prompt, stop);
        EvaluatedClip clip{prompt, findingsOf(frames)};
        if (!m_firstFrames.empty())
            clip.found.firstFrameKept = firstFrameKept(frames, m_firstFrames[number]);
        return clip;
    }

  private:
    [[nodiscard]] Tensor framesFor(std::size_t number, const HeldOutPrompt& prompt,
                                   const StopToken& stop) const {
        if (const std::optional<Tensor> kept = m_folder.clip(number, prompt))
            return *kept;
        const std::filesystem::path picture =
            m_firstFrames.empty() ? "" : m_folder.firstFrame(number, m_firstFrames[number]);
        const Tensor frames = videoOf(prompt.prompt, m_settings.seed + number, picture, m_settings, stop);
        m_folder.keepClip(number, prompt, frames);
        return frames;
    }

    const EvaluationSettings& m_settings;
    const EvaluationFolder& m_folder;
    std::vector<Tensor> m_firstFrames;
};

}  // namespace

Evaluation evaluateModel(const EvaluationSettings& settings, std::span<const HeldOutPrompt> prompts,
                         const EvaluationFolder& folder, const OnEvaluatedClip& onClip,
                         const StopToken& stop) {
    Evaluation evaluation{.settings = settings, .clips = {}, .figures = {}};
    const ClipMaker maker(settings, prompts.size(), folder);
    for (std::size_t number = 0; number < prompts.size(); ++number) {
        evaluation.clips.push_back(maker.clip(number, prompts[number], stop));
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
