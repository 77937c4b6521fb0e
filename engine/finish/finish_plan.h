// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/media/sound_edit.h"
#include "engine/media/video_writer.h"
#include "engine/models/finish/finish_names.h"
#include "engine/models/finish/rife_layout.h"
#include "engine/models/finish/upscaler_layout.h"
#include "engine/models/finish/upscaler_tiles.h"

namespace meshreel {

/// What is to be made of a finished video.
struct FinishSettings {
    double interpolate = 1;               ///< frames a second, times this
    std::string interpolator = {};        ///< a file of weights of RIFE, or finish_name::blend
    double upscale = 1;                   ///< width and height, times this
    std::string upscaler = {};            ///< a file of weights of ESRGAN's kind, or finish_name::lanczos
    std::optional<SoundEdit> sound = {};  ///< in place of the video's own
    bool keepsSound = true;               ///< the video's own, where there is no other
    bool tellsSettings = true;            ///< the file's metadata say how it was made
    VideoFormat format = VideoFormat::Mp4;
    int quality = defaultVideoQuality;
    Arithmetic arithmetic = Arithmetic::F32;               ///< of the networks' convolutions
    std::int64_t memoryBudget = std::int64_t{512} << 20U;  ///< bytes that a picture's tiles take at most
};

/// A part of the work that is kept when the rest is interrupted.
struct FinishChunk {
    std::int64_t first = 0;  ///< among the frames that are made
    std::int64_t count = 0;
};

/// Everything that is decided before a video is finished.
struct FinishPlan {
    std::filesystem::path source;
    FinishSettings settings;
    std::int64_t frames = 0;  ///< of the source
    std::int64_t height = 0, width = 0;
    double fps = 0;
    std::int64_t outFrames = 0;
    std::int64_t outHeight = 0, outWidth = 0;
    double outFps = 0;
    std::optional<RifeLayout> rife = {};          ///< nothing: frames are mixed, or none are made
    std::optional<UpscalerLayout> upscaler = {};  ///< nothing: Lanczos, or the size stays
    UpscalingTiles tiles = {};                    ///< of a network's pictures
    std::filesystem::path sound = {};             ///< whose sound is under it; empty: none
    std::optional<SoundEdit> soundEdit = {};      ///< what becomes of it; nothing: it is copied
    std::vector<FinishChunk> chunks = {};
    std::int64_t weightBytes = 0;
    std::int64_t workBytes = 0;  ///< at most, beside the weights
    double operations = 0;       ///< multiplications and additions of the networks at most, cuts not known
    /// What the video's file keeps: its own title and project, and the settings (finishMetadataKey).
    std::map<std::string, std::string> metadata = {};
    std::string identity = {};           ///< of all that decides the frames but what the source holds
    std::vector<Sentence> remarks = {};  ///< worth knowing before it begins

    [[nodiscard]] bool interpolates() const { return settings.interpolate > 1; }
    [[nodiscard]] bool enlarges() const { return settings.upscale > 1; }

    /// Returns where a frame that is made is among those of the source: its place, and the part of the way to
    /// the next one, 0 for a frame of the source.
    struct Place {
        std::int64_t frame = 0;
        float part = 0;
    };
    [[nodiscard]] Place placeOf(std::int64_t outFrame) const;
};

/// The metadata key of a finished video that holds the settings, as one line of text.
inline constexpr std::string_view finishMetadataKey = "meshreel_finish";

/// Probes the source and the weights and decides everything. Throws Error{Project} for settings that cannot
/// be carried out, Error{Input} for a video or weights that cannot be used; each names what to do instead.
FinishPlan planFinish(const std::filesystem::path& source, const FinishSettings& settings);

/// Returns the plan as people read it.
std::string finishPlanText(const FinishPlan& plan);

}  // namespace meshreel
