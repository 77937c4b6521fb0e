// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// How the videos of an evaluation are made; the defaults are what the embedded model's card recommends.
struct EvaluationSettings {
    std::string model;  ///< a project's pretrained_model_name_or_path
    std::int64_t width = 64;
    std::int64_t height = 64;
    std::int64_t frames = 17;
    std::string preset = "none";  ///< sampling preset; see followPreset()
    std::int64_t steps = 24;
    double guidance = 3.0;
    double flowShift = 3.0;
    std::uint64_t seed = 77;  ///< seed of the first prompt; each following prompt has the next
    int clips = 1;            ///< of a video: each goes on from the one before, with the next seed
};

/// Steps, guidance and flow shift of the preset, if there is one.
void followPreset(EvaluationSettings& settings);

/// A prompt with what its video shall show, in the words of scene_clip.h.
struct HeldOutPrompt {
    std::string prompt;
    std::string shape;
    std::string color;
    std::string background;
    std::string motion;
};

/// Returns the shipped list: evaluation/held-out-prompts.json in resourceFolder(). The embedded model's
/// recipe reads it too, and never trains on what it asks for.
std::filesystem::path heldOutPromptsFile();

/// Throws Error{Input} for a file that is missing, malformed, or asks for what no measure knows.
std::vector<HeldOutPrompt> readHeldOutPrompts(const std::filesystem::path& file);

/// Returns the frames u8 [time, height, width, 3] side by side, as one picture [height, time * width, 3].
Tensor toStrip(const Tensor& frames);

/// Splits a strip into its frames. Throws Error{Input} when its width is not a multiple of `frames`.
Tensor framesOf(const Tensor& strip, std::int64_t frames);

/// Returns whether a model makes videos of images only. Errors as prepareModelFolder() and readModelFacts().
bool needsFirstFrame(const std::string& model);

/// Returns the shipped pictures: evaluation/first-frames.png in resourceFolder(), one of 64x64 for each
/// held-out prompt, row by row.
std::filesystem::path firstFramesFile();

/// u8 [64, 64, 3] each. Throws Error{Input} for a file that is missing or does not hold `count` of them.
std::vector<Tensor> readFirstFrames(const std::filesystem::path& file, std::size_t count);

/// dB between a video's first frame and the picture that it was made of. `frames` u8 [time, height, width,
/// 3]; nothing when the picture has another size. Equal pictures count as 100 dB.
std::optional<double> firstFrameKept(const Tensor& frames, const Tensor& picture);

/// Returns clips u8 [time, height, width, 3], all of one size, as one picture u8 [height, width, 3]: a row of
/// six frames for each clip, in two columns, in reading order.
Tensor contactSheet(const std::vector<Tensor>& clips);

/// Where an evaluation keeps its settings (settings.json) and every video as soon as it is made
/// (clips/000.png, frames side by side), so that it continues where it was stopped. Files are complete or
/// absent.
class EvaluationFolder {
  public:
    /// Makes the folder, or opens one of the same settings. Throws Error{Input} when it holds the videos of
    /// other settings, of another state of the model, or of another machine or build (machine.json), or
    /// cannot be written.
    EvaluationFolder(std::filesystem::path path, const EvaluationSettings& settings);

    /// Returns the seed of the evaluation that the folder `path` holds; nothing when it holds none.
    [[nodiscard]] static std::optional<std::uint64_t> recordedSeed(const std::filesystem::path& path);

    /// Absent when it was not made yet, or for another prompt. Throws Error{Input} for a picture that cannot
    /// be read.
    [[nodiscard]] std::optional<Tensor> clip(std::size_t number, const HeldOutPrompt& prompt) const;
    /// Keeps a picture that cannot be read under a numbered name, which it returns.
    std::filesystem::path setAside(std::size_t number, const HeldOutPrompt& prompt) const;
    void keepClip(std::size_t number, const HeldOutPrompt& prompt, const Tensor& frames) const;

    /// Returns the file of the picture (u8 [height, width, 3]) that a video is made of, absolute; written now
    /// unless it is there.
    [[nodiscard]] std::filesystem::path firstFrame(std::size_t number, const Tensor& picture) const;

    /// Worth saying of the videos that are there.
    [[nodiscard]] const std::optional<Sentence>& note() const { return m_note; }

    [[nodiscard]] std::filesystem::path file(const char* name) const { return m_path / name; }

  private:
    [[nodiscard]] std::filesystem::path clipFile(std::size_t number, const HeldOutPrompt& prompt) const;

    std::filesystem::path m_path;
    EvaluationSettings m_settings;
    std::optional<Sentence> m_note;
};

}  // namespace meshreel
