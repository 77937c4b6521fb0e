// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/estimates/video_shape.h"
#include "engine/kernels/execution.h"
#include "engine/media/image_processor.h"
#include "engine/models/encoders/clip_vision.h"
#include "engine/models/encoders/wav2vec2.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/planning/run_plan.h"
#include "engine/project/input_files.h"
#include "engine/project/project_trust.h"
#include "engine/project/track_file.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Pictures u8 [H, W, 3] of any size as CLIP takes them, f32 [images, 3, side, side].
Tensor clipPixels(const ImageProcessor& processor, const std::vector<Tensor>& pictures);

/// The same of pictures in the video's size, as Animate-2's program does: stretched, not cut.
Tensor stretchedClipPixels(const ImageProcessor& processor, const std::vector<Tensor>& pictures);

/// Encodes what the transformer attends to in pictures, of which CLIP takes these pixels, f32 [images,
/// tokens, hiddenSize].
Tensor encodeImageTokens(const Execution& execution, const ClipVisionEncoder& encoder, const Tensor& pixels);

/// Encodes what is heard in each frame of the clips of a video of `fps` frames a second, f32 [1, states,
/// width, frames of all clips]; `samples` of one channel, Wav2Vec2Config::sampleRate a second, which begin
/// with the first frame that the video shows. Computed by the workers.
Tensor encodeSpeech(const Execution& execution, const Wav2Vec2Encoder& encoder,
                    std::span<const float> samples, double fps, const VideoSegments& clips);

/// Returns a picture u8 [H, W, 3] in another size, whatever its form, by Pillow's Lanczos filter.
Tensor fittedPicture(const Tensor& picture, std::int64_t height, std::int64_t width);

/// Returns a picture u8 [H, W, 3] as f32 [1, 3, 1, H, W] in [-1, 1].
Tensor toPixels(const Tensor& picture);

/// Returns the frames u8 [T, H, W, 3] as a video f32 [1, 3, T, H, W] in [-1, 1].
Tensor videoOf(const Tensor& frames);

/// Pixels in [-1, 1] as a mask in [0, 1].
Tensor asMask(Tensor pixels);

/// What VACE edits without an input: a grey video, all of which is generated.
struct EditFrames {
    Tensor video;
    Tensor mask;
};
EditFrames openEdit(const VideoGeometry& geometry);

/// Returns a reference as VACE wants it: taken down to multiples of a latent's pixels, scaled to fit and
/// centred on white, f32 [1, 3, 1, height, width].
Tensor referencePixels(const Tensor& picture, std::int64_t multiple, std::int64_t height, std::int64_t width);

/// Returns a reference as Phantom wants it: scaled to fit (Pillow's Lanczos) and centred on white, f32 [1, 3,
/// 1, height, width].
Tensor subjectPixels(const Tensor& picture, std::int64_t height, std::int64_t width);

/// Tracks at the frames of a video, f32 [frames, tracks, 3]: x and y relative to the middle, the shorter edge
/// from -1 to 1, and 1 where the point is in sight, else 0. Spreads them as ATI's process_tracks (and
/// ComfyUI's for any number of frames), which picks samples rather than mixing them.
Tensor sampledTracks(const std::vector<PointTrack>& tracks, const VideoGeometry& geometry);

/// Tracks at the frames of a video, f32 [frames, tracks, 3]: x and y in pixels, and 1 where the point is in
/// sight, else 0. Place after place is a frame's, as Wan-Move has them.
Tensor framedTracks(const std::vector<PointTrack>& tracks, std::int64_t frames);

/// Returns a picture u8 [H, W, 3] scaled to fit (Pillow's bilinear filter) and centred on black, in this
/// size: Animate's character, and each frame of Animate-2's driving video.
Tensor fittedOnBlack(const Tensor& picture, std::int64_t height, std::int64_t width);

/// Animate's character, fittedOnBlack(), f32 [1, 3, 1, height, width].
Tensor characterPixels(const Tensor& picture, std::int64_t height, std::int64_t width);

/// Returns the frames u8 [T, H, W, 3] in grey as Pillow makes it, f32 [1, 1, T, H, W] in [0, 1].
Tensor toGrey(const Tensor& frames);

/// Returns the last frames of the clip that the plan's project continues, u8 [n, H, W, 3], n as the plan
/// says, in their own size. Throws as readVisualInputs() does.
Tensor readClipBefore(const RunPlan& plan, const TrustedInputs& trusted);

/// Returns the last one of them, u8 [H, W, 3].
Tensor lastFrameBefore(const RunPlan& plan, const TrustedInputs& trusted);

/// Returns the task's images that CLIP sees, unprocessed, u8 [H, W, 3] each: the first, then the last; of an
/// animation by a driving video the character and that video's first frame, in the video's size. Throws as
/// readVisualInputs() does.
std::vector<Tensor> readPictures(const RunPlan& plan, const TrustedInputs& trusted);

/// Returns the samples of the project's speech, as encodeSpeech() takes them. Throws as readVisualInputs().
std::vector<float> readSpeech(const RunPlan& plan, const TrustedInputs& trusted);

/// Returns the files that the plan's project names, at the video's size, as diffusers resizes them; without
/// what CLIP sees and what is heard. Throws Error{Input} for files that cannot be read and for videos that
/// are too short, and ProjectError for those that are not `trusted` in their places.
VisualInputs readVisualInputs(const RunPlan& plan, const TrustedInputs& trusted);

}  // namespace meshreel
