// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/studies/evaluation/evaluation_settings.h"
#include "engine/studies/evaluation/held_out_prompts.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Where an evaluation keeps its settings (settings.json) and every video as soon as it is made
/// (clips/000.png, frames side by side), so that it goes on where it was stopped. Files are complete or
/// absent.
class EvaluationFolder {
  public:
    /// Makes the folder, or opens one of the same settings. Throws Error{Input} when it holds the videos of
    /// other settings or of another state of the model, or cannot be written.
    EvaluationFolder(std::filesystem::path path, const EvaluationSettings& settings);

    /// The seed of the evaluation that the folder `path` holds; nothing when it holds none.
    [[nodiscard]] static std::optional<std::uint64_t> recordedSeed(const std::filesystem::path& path);

    /// Absent when it was not made yet, or for another prompt.
    [[nodiscard]] std::optional<Tensor> clip(std::size_t number, const HeldOutPrompt& prompt) const;
    void keepClip(std::size_t number, const HeldOutPrompt& prompt, const Tensor& frames) const;

    /// The file of the picture (u8 [height, width, 3]) that a video is made of, absolute; written now unless
    /// it is there.
    [[nodiscard]] std::filesystem::path firstFrame(std::size_t number, const Tensor& picture) const;

    [[nodiscard]] std::filesystem::path file(const char* name) const { return m_path / name; }

  private:
    [[nodiscard]] std::filesystem::path clipFile(std::size_t number, const HeldOutPrompt& prompt) const;

    std::filesystem::path m_path;
    EvaluationSettings m_settings;
};

}  // namespace meshreel
