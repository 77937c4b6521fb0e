// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/input_media.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/held_file.h"
#include "engine/base/paths.h"
#include "engine/checks/keyframe_plan.h"
#include "engine/media/alpha.h"
#include "engine/media/clip_folder.h"
#include "engine/media/frame_source.h"
#include "engine/media/image.h"
#include "engine/media/image_processor.h"
#include "engine/media/image_resize.h"
#include "engine/media/sound_samples.h"
#include "engine/media/video_reader.h"
#include "engine/models/encoders/wav2vec2_config.h"
#include "engine/models/families/model_family.h"
#include "engine/models/sound/sound_frames.h"
#include "engine/pipelines/given_frames.h"
#include "engine/project/input_files.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/timing/trace.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {

Tensor clipPixels(const ImageProcessor& processor, const std::vector<Tensor>& pictures) {
    std::vector<Tensor> pixels;
    for (const Tensor& picture : pictures)
        pixels.push_back(processor.toPixels(picture));
    return joined(pixels, 0);
}

Tensor stretchedClipPixels(const ImageProcessor& processor, const std::vector<Tensor>& pictures) {
    std::vector<Tensor> pixels;
    for (const Tensor& picture : pictures)
        pixels.push_back(processor.stretchedPixels(picture));
    return joined(pixels, 0);
}

Tensor encodeImageTokens(const Execution& execution, const ClipVisionEncoder& encoder, const Tensor& pixels) {
    const auto span = traceSpan(execution.trace, "Encode-Image");
    return encoder.encode(execution, pixels);
}

Tensor encodeSpeech(const Execution& execution, const Wav2Vec2Encoder& encoder,
                    std::span<const float> samples, double fps, const VideoSegments& clips) {
    const auto span = traceSpan(execution.trace, "Encode-Sound");
    const Execution host{execution.workers, execution.stop, execution.trace};
    const Wav2Vec2Config& config = encoder.config();
    Tensor sound = Tensor::empty({1, config.layers + 1, config.hiddenSize, clips.count * clips.frames});
    encoder.encode(host, samples, [&](std::int64_t layer, const Tensor& states) {
        const Tensor heard = heardStates(states, config.framesPerSecond());
        putHeard(heard, statesOfFrames(heard.extent(0), fps, clips.count * clips.frames, clips.leading),
                 layer, sound);
    });
    return sound;
}

namespace {

constexpr std::int64_t colours = 3;
constexpr std::string_view imageKey = "image";
constexpr std::string_view videoKey = "video";
constexpr std::string_view tracksKey = "tracks";
constexpr std::string_view sightKey = "track_visibility";

/// Opens the inputs of a project if their places are trusted.
class InputReader {
  public:
    InputReader(const Project& project, const TrustedInputs& trusted)
        : m_project(project), m_trusted(trusted) {}

    [[nodiscard]] const Project& project() const { return m_project; }

    [[nodiscard]] std::string fileOf(std::string_view key) const {
        return m_project.*findInputKey(key)->member;
    }

    /// `read` of the file that the key names, which cannot be exchanged for another one meanwhile.
    template <typename Read>
    auto readWith(std::string_view key, const Read& read) const {
        return open(key, fileOf(key)).readWith(read);
    }

    /// u8 [H, W, 3].
    [[nodiscard]] Tensor picture(std::string_view key) const { return readWith(key, readImage); }

    /// A picture of a list.
    [[nodiscard]] Tensor picture(std::string_view key, std::size_t index) const {
        return open(key, inputFiles(m_project, *findInputKey(key))[index]).readWith(readImage);
    }

    /// `read` of the clip that is continued: a file, or a held folder of one.
    template <typename Read>
    auto clipWith(const Read& read) const {
        return read(open("continue_from", m_project.continueFrom));
    }

    /// Reads each file of a list in the same way.
    [[nodiscard]] std::vector<Tensor> pictures(std::string_view key) const {
        std::vector<Tensor> pictures;
        for (const std::string& file : inputFiles(m_project, *findInputKey(key)))
            pictures.push_back(open(key, file).readWith(readImage));
        return pictures;
    }

  private:
    [[nodiscard]] HeldFile open(std::string_view key, const std::string& file) const {
        HeldFile held(file, Links::Follow);
        m_trusted.require(*findProjectKey(key), file, held.realPath());
        return held;
    }

    const Project& m_project;
    const TrustedInputs& m_trusted;
};

Tensor readPicture(const InputReader& reader, std::string_view key) {
    const Project& project = reader.project();
    return toPixels(fittedPicture(reader.picture(key), project.height, project.width));
}

/// Frames u8 [T, H, W, 3] in another order, some of them more than once.
Tensor pickedFrames(const Tensor& frames, const std::vector<std::int64_t>& order) {
    Tensor picked =
        Tensor::empty({std::ssize(order), frames.extent(1), frames.extent(2), frames.extent(3)}, DType::U8);
    auto out = picked.data<std::uint8_t>().begin();
    for (const std::int64_t frame : order)
        out = std::ranges::copy(frames.slice(frame, frame + 1).data<std::uint8_t>(), out).out;
    return picked;
}

/// Frames u8 [T, H, W, 3] in another size, as pictures are resized.
Tensor fittedFrames(const Tensor& frames, std::int64_t height, std::int64_t width) {
    std::vector<Tensor> fitted;
    for (std::int64_t frame = 0; frame < frames.extent(0); ++frame) {
        const Tensor own = frames.slice(frame, frame + 1);
        const Tensor picture = fittedPicture(
            own.reshaped({frames.extent(1), frames.extent(2), frames.extent(3)}), height, width);
        fitted.push_back(picture.reshaped({1, height, width, colours}));
    }
    return joined(fitted, 0);
}

/// Frames of a video, and whether they were sampled at the project's rate.
struct SampledFrames {
    Tensor frames;
    bool sampled = false;
};

/// The video's first frames at the project's rate, u8 [T, height, width, 3]: as many as it has.
SampledFrames readFirstFrames(const InputReader& reader, std::string_view key, std::int64_t height,
                              std::int64_t width) {
    const Project& project = reader.project();
    bool sampled = false;
    Tensor frames = reader.readWith(key, [&](const std::filesystem::path& file) {
        const std::unique_ptr<FrameSource> source = openFrameSource(file);
        if (key == "mask" && hasShapeInAlpha(file))
            source->useAlpha(AlphaUse::AsGrey);
        sampled = isSampled(source->info(), inputRate(project));
        return readFrames(*source, file,
                          {.fps = inputRate(project),
                           .frames = project.numFrames,
                           .height = height,
                           .width = width,
                           .filter = Resampling::Lanczos});
    });
    return {.frames = std::move(frames), .sampled = sampled};
}

/// As many of them as the project has frames; a file with one frame gives that one over and over.
Tensor readFramesFor(const InputReader& reader, std::string_view key, std::int64_t height,
                     std::int64_t width) {
    const Project& project = reader.project();
    const auto [frames, sampled] = readFirstFrames(reader, key, height, width);
    const std::int64_t found = frames.extent(0);
    if (found == project.numFrames)
        return frames;
    if (found > 1 || sampled) {
        const Problem problem = tooFewFrames(key, found, sampled, project);
        throw Error(ErrorKind::Input, atPlace(withTilde(reader.fileOf(key)), problem));
    }
    return pickedFrames(frames, std::vector<std::int64_t>(static_cast<std::size_t>(project.numFrames), 0));
}

/// Returns the frames that are taken, and leaves `source` before the first of them.
ClipFrames skipToTaken(FrameSource& source, const std::filesystem::path& file, const RunPlan& plan) {
    const ShownFrames shown = countShownFrames(file);
    auto taken = takenOfClip(plan.project, plan.takenFrames(), shown.count);
    if (const auto* problem = std::get_if<Problem>(&taken))
        throw Error(ErrorKind::Input, *problem);
    const ClipFrames frames = std::get<ClipFrames>(taken);
    for (std::int64_t frame = 0; frame < frames.first && source.skip(); ++frame) {
    }
    return frames;
}

/// Frames u8 [n, H, W, 3] in their own size.
Tensor readTakenFrames(const std::filesystem::path& file, const RunPlan& plan) {
    const std::unique_ptr<FrameSource> source = openFrameSource(file);
    const ClipFrames taken = skipToTaken(*source, file, plan);
    Tensor frames = readFrames(*source, file, {.frames = taken.count});
    if (frames.extent(0) < taken.count)
        throw Error(ErrorKind::Input,
                    sentence("the clip ends at frame {}, and frame {} is taken",
                             taken.first + frames.extent(0) - 1, taken.last()),
                    file.string(), sentence("Give a continue_at before its end, or write the clip again"));
    return frames;
}

/// The last latents up to a frame of the clip, [1, z, K, h, w]: those that the run before left, where a
/// latent ends at that frame.
std::optional<Tensor> readTakenLatents(const HeldFile& held, const RunPlan& plan) {
    // Beside a run's status they may be of another VAE; whoever copied them from there has compared it.
    std::error_code ignored;
    const std::optional<HeldFile> file = holdLatents(held);
    if (!file || std::filesystem::exists(held.path() / clip_file::status, ignored))
        return std::nullopt;
    const Tensor latents = file->readWith(
        [](const std::filesystem::path& same) { return SafetensorsFile::open(same).get("latents").clone(); });
    const Shape& own = plan.latentShape;
    const std::int64_t factor = plan.model.vae.temporalFactor();
    const bool fits = latents.dtype() == DType::F32 && latents.shape().rank() == own.rank() &&
                      latents.extent(1) == own[1] && latents.extent(3) == own[3] &&
                      latents.extent(4) == own[4];
    if (!fits)
        return std::nullopt;
    const std::int64_t total = (latents.extent(frameAxis) - 1) * factor + 1;
    // Of an animation's segments, and of a video with frames in between, they are no latents of its frames.
    if (holdVideo(held).readWith(countShownFrames).count != total)
        return std::nullopt;
    const std::int64_t wanted = plan.chainsClips ? 1 : plan.continuedFrames;  // of one latent its last frame
    const auto taken = takenOfClip(plan.project, wanted, total);
    const auto* frames = std::get_if<ClipFrames>(&taken);
    if (frames == nullptr || frames->last() % factor != 0)
        return std::nullopt;
    const std::int64_t end = frames->last() / factor + 1;
    const std::int64_t count = (frames->count - 1) / factor + 1;
    return sliced(latents.slice(0, 1), frameAxis, end - count, end);
}

/// Frames of the clip before and, for who is given latents, those that it was made with.
void readClip(const RunPlan& plan, const InputReader& reader, const TrustedInputs& trusted,
              VisualInputs& inputs) {
    if (plan.continuedFrames == 0)
        return;
    const Tensor frames = readClipBefore(plan, trusted);
    inputs.clip = videoOf(fittedFrames(frames, plan.project.height, plan.project.width));
    if (plan.holdsClip() || plan.chainsClips)
        inputs.clipLatents = reader.clipWith([&](const HeldFile& held) {
            return held.isFolder() ? readTakenLatents(held, plan) : std::nullopt;
        });
}

/// What the video begins with: the clip before, or a picture.
Tensor readBeginning(const RunPlan& plan, const InputReader& reader, const VisualInputs& inputs) {
    return plan.beginsWithClip() ? *inputs.clip : readPicture(reader, imageKey);
}

/// The tracks of the plan's project, by the files that it names. A drawing is sampled at `places` times of
/// the part in which points move.
std::vector<PointTrack> readPlannedTracks(const RunPlan& plan, const InputReader& reader,
                                          std::size_t places) {
    const std::int64_t frames = plan.geometry().frames;
    const TrackedVideo video{.width = reader.project().width,
                             .height = reader.project().height,
                             .frames = frames,
                             .fps = reader.project().fps,
                             .firstFrame = frames - plan.movingPart().frames,
                             .places = places};
    std::vector<PointTrack> tracks = reader.readWith(
        tracksKey, [&video](const std::filesystem::path& file) { return readTracks(file, video); });
    if (!reader.fileOf(sightKey).empty())
        reader.readWith(sightKey, [&tracks](const std::filesystem::path& file) { hideUnseen(tracks, file); });
    return tracks;
}

/// Tracks of Wan-Move: a place a frame.
Tensor framedMoves(const RunPlan& plan, const InputReader& reader) {
    const std::int64_t frames = plan.movingPart().frames;
    return framedTracks(readPlannedTracks(plan, reader, static_cast<std::size_t>(frames)), frames);
}

Tensor readVideoInput(const InputReader& reader, std::string_view key) {
    return videoOf(readFramesFor(reader, key, reader.project().height, reader.project().width));
}

/// The pictures of the plan's keyframes, each as often as it is shown.
GivenFrames readKeyframes(const RunPlan& plan, const InputReader& reader) {
    GivenFrames given;
    for (const PlannedKeyframe& picture : plan.keyframes.pictures) {
        const Tensor pixels = toPixels(fittedPicture(reader.picture(picture.key, picture.index),
                                                     plan.project.height, plan.project.width));
        given.push_back({.first = picture.frame,
                         .pixels = joined(std::vector(static_cast<std::size_t>(picture.frames), pixels), 2),
                         .marks = picture.isBetween ? std::optional(betweenStrengths) : std::nullopt});
    }
    return given;
}

/// The frames of the clip before, which the video begins with.
GivenFrames givenClip(const VisualInputs& inputs) {
    if (!inputs.clip)
        return {};
    return {{.first = 0, .pixels = *inputs.clip}};
}

void readEdit(const RunPlan& plan, const InputReader& reader, VisualInputs& inputs) {
    const Project& project = plan.project;
    const EditFrames open = openEdit(plan.geometry());
    inputs.video = project.video.empty() ? open.video : readVideoInput(reader, "video");
    inputs.mask = project.mask.empty() ? open.mask : asMask(readVideoInput(reader, "mask"));
    putGiven(givenClip(inputs), *inputs.video, *inputs.mask);
    putGiven(readKeyframes(plan, reader), *inputs.video, *inputs.mask);
    for (const Tensor& picture : reader.pictures("reference_images"))
        inputs.references.push_back(
            referencePixels(picture, plan.model.vae.spatialFactor(), project.height, project.width));
}

/// Bernini-R's sources: the video at its size, each picture in the size that the plan has for it.
void readSources(const RunPlan& plan, const InputReader& reader, VisualInputs& inputs) {
    if (!plan.project.video.empty())
        inputs.video = readVideoInput(reader, "video");
    for (std::size_t index = 0; index < plan.pictures.size(); ++index)
        inputs.references.push_back(
            toPixels(resizeImage(reader.picture("reference_images", index), plan.pictures[index].height,
                                 plan.pictures[index].width, Resampling::Bicubic)));
}

/// Fun Control's reference has the video's size, as its first frame has.
void readControl(const RunPlan& plan, const InputReader& reader, VisualInputs& inputs) {
    inputs.video = readVideoInput(reader, "video");
    if (plan.beginsWithClip() || !reader.fileOf(imageKey).empty())
        inputs.image = readBeginning(plan, reader, inputs);
    for (const Tensor& picture : reader.pictures("reference_images"))
        inputs.references.push_back(
            toPixels(fittedPicture(picture, plan.project.height, plan.project.width)));
}

/// A video of all segments of an animation; frames behind its end come back again.
Tensor readSegments(const RunPlan& plan, const InputReader& reader, std::string_view key, std::int64_t height,
                    std::int64_t width) {
    const Tensor frames = readFramesFor(reader, key, height, width);
    return pickedFrames(frames, reflectedFrames(frames.extent(0), plan.segments.covered()));
}

/// The largest size of a picture's form that fits a canvas, at least a pixel.
PictureSize sizeWithin(const PictureSize& picture, const PictureSize& canvas) {
    const bool wider = canvas.width * picture.height < picture.width * canvas.height;
    return {.height = wider ? std::max<std::int64_t>(1, picture.height * canvas.width / picture.width)
                            : canvas.height,
            .width = wider ? canvas.width
                           : std::max<std::int64_t>(1, picture.width * canvas.height / picture.height)};
}

/// A picture u8 [H, W, 3] that fits a canvas, on black.
Tensor centredOnBlack(const Tensor& picture, std::int64_t height, std::int64_t width) {
    return cropImage(picture, picture.extent(0) / 2 - height / 2, picture.extent(1) / 2 - width / 2, height,
                     width);
}

/// The driving video at the project's rate, each frame as fittedOnBlack() makes it, u8 [T, height, width, 3];
/// `most` frames of it.
Tensor readDrivingFrames(const InputReader& reader, std::int64_t most) {
    const Project& project = reader.project();
    const Tensor frames = reader.readWith(videoKey, [&](const std::filesystem::path& file) {
        const std::unique_ptr<FrameSource> source = openFrameSource(file);
        const PictureSize size = sizeWithin({.height = source->info().height, .width = source->info().width},
                                            {.height = project.height, .width = project.width});
        const bool sampled = isSampled(source->info(), inputRate(project));
        const Tensor own = readFrames(*source, file,
                                      {.fps = inputRate(project),
                                       .frames = most,
                                       .height = size.height,
                                       .width = size.width,
                                       .filter = Resampling::Bilinear});
        if (own.extent(0) < most && (own.extent(0) > 1 || sampled))
            throw Error(ErrorKind::Input, atPlace(withTilde(reader.fileOf(videoKey)),
                                                  tooFewFrames(videoKey, own.extent(0), sampled, project)));
        return own;
    });
    std::vector<Tensor> fitted;
    for (std::int64_t frame = 0; frame < frames.extent(0); ++frame)
        fitted.push_back(centredOnBlack(frames.slice(frame, frame + 1)
                                            .reshaped({frames.extent(1), frames.extent(2), frames.extent(3)}),
                                        project.height, project.width)
                             .reshaped({1, project.height, project.width, colours}));
    const Tensor all = joined(fitted, 0);
    // A picture stands still.
    return all.extent(0) == most
               ? all
               : pickedFrames(all, std::vector<std::int64_t>(static_cast<std::size_t>(most), 0));
}

void readDrivenAnimation(const RunPlan& plan, const InputReader& reader, VisualInputs& inputs) {
    inputs.image = characterPixels(reader.picture(imageKey), plan.project.height, plan.project.width);
    const Tensor frames = readDrivingFrames(reader, plan.project.numFrames);
    inputs.video = videoOf(pickedFrames(frames, reflectedFrames(frames.extent(0), plan.segments.covered())));
}

void readAnimation(const RunPlan& plan, const InputReader& reader, VisualInputs& inputs) {
    const std::int64_t height = plan.project.height;
    const std::int64_t width = plan.project.width;
    const std::int64_t side = plan.model.transformer.animate->faceSide;
    inputs.image = characterPixels(reader.picture(imageKey), height, width);
    inputs.pose = videoOf(readSegments(plan, reader, "pose_video", height, width));
    inputs.faces = videoOf(readSegments(plan, reader, "face_video", side, side));
    if (plan.task != WanTask::Replacement)
        return;
    inputs.background = videoOf(readSegments(plan, reader, "background_video", height, width));
    inputs.mask = toGrey(readSegments(plan, reader, "mask", height, width));
}

/// The picture, and the poses that there are.
void readSpeaker(const RunPlan& plan, const InputReader& reader, VisualInputs& inputs) {
    inputs.image = readPicture(reader, imageKey);
    if (!plan.project.poseVideo.empty())
        inputs.pose =
            videoOf(readFirstFrames(reader, "pose_video", plan.project.height, plan.project.width).frames);
}

}  // namespace

Tensor characterPixels(const Tensor& picture, std::int64_t height, std::int64_t width) {
    return toPixels(fittedOnBlack(picture, height, width));
}

Tensor fittedOnBlack(const Tensor& picture, std::int64_t height, std::int64_t width) {
    const PictureSize size = sizeWithin({.height = picture.extent(0), .width = picture.extent(1)},
                                        {.height = height, .width = width});
    return centredOnBlack(resizeImage(picture, size.height, size.width, Resampling::Bilinear), height, width);
}

Tensor toGrey(const Tensor& frames) {
    // Pillow's weights of red, green and blue, in 65536ths.
    constexpr std::array<std::uint32_t, colours> weights{19595, 38470, 7471};
    constexpr std::uint32_t half = 0x8000;
    constexpr std::uint32_t bits = 16;
    constexpr float white = 255.0F;
    Tensor grey = Tensor::empty({1, 1, frames.extent(0), frames.extent(1), frames.extent(2)});
    const auto pixels = frames.data<std::uint8_t>();
    const auto out = grey.data<float>();
    for (std::size_t pixel = 0; pixel < out.size(); ++pixel) {
        std::uint32_t sum = half;
        for (std::size_t colour = 0; colour < weights.size(); ++colour)
            sum += weights.at(colour) * pixels[pixel * weights.size() + colour];
        out[pixel] = static_cast<float>(sum >> bits) / white;
    }
    return grey;
}

Tensor fittedPicture(const Tensor& picture, std::int64_t height, std::int64_t width) {
    return resizeImage(picture, height, width, Resampling::Lanczos);
}

Tensor asMask(Tensor pixels) {
    for (float& value : pixels.data<float>())
        value = std::clamp((value + 1.0F) / 2.0F, 0.0F, 1.0F);
    return pixels;
}

EditFrames openEdit(const VideoGeometry& geometry) {
    const Shape shape{1, colours, geometry.frames, geometry.height, geometry.width};
    return {.video = Tensor::filled(shape, 0.0F), .mask = Tensor::filled(shape, 1.0F)};
}

Tensor toPixels(const Tensor& picture) {
    return videoOf(picture.reshaped({1, picture.extent(0), picture.extent(1), picture.extent(2)}));
}

Tensor videoOf(const Tensor& frames) {
    const Tensor pixels = videoPixels(frames);
    return pixels.reshaped({1, pixels.extent(0), pixels.extent(1), pixels.extent(2), pixels.extent(3)});
}

Tensor referencePixels(const Tensor& picture, std::int64_t multiple, std::int64_t height,
                       std::int64_t width) {
    const auto down = [multiple](std::int64_t extent) { return extent / multiple * multiple; };
    const std::int64_t toHeight = down(picture.extent(0));
    const std::int64_t toWidth = down(picture.extent(1));
    if (toHeight == 0 || toWidth == 0)
        throw Error(ErrorKind::Input,
                    sentence("a reference image of {} x {} pixels is smaller than {} x {}", picture.extent(1),
                             picture.extent(0), multiple, multiple),
                    "reference_images", sentence("Use a larger image"));
    return letterboxed(toPixels(fittedPicture(picture, toHeight, toWidth)), height, width);
}

namespace {

/// A track's place, at 0 where it is out of sight.
TrackPoint pointAt(const PointTrack& track, std::int64_t place) {
    if (place >= std::ssize(track) || !track[static_cast<std::size_t>(place)].seen)
        return {.seen = false};
    return track[static_cast<std::size_t>(place)];
}

}  // namespace

Tensor sampledTracks(const std::vector<PointTrack>& tracks, const VideoGeometry& geometry) {
    constexpr auto behindFirst = static_cast<std::int64_t>(trackSamples) - 1;
    const std::int64_t frames = geometry.frames - 1;
    const std::int64_t common = std::gcd(behindFirst, frames);
    const std::int64_t stride = behindFirst / common;  // among samples that stand `copies` times each
    const std::int64_t copies = frames / common;
    const auto width = static_cast<float>(geometry.width);
    const auto height = static_cast<float>(geometry.height);
    const float shorter = std::min(width, height);
    Tensor sampled = Tensor::zeros({geometry.frames, std::ssize(tracks), 3});
    auto out = sampled.data<float>().begin();
    for (std::int64_t frame = 0; frame < geometry.frames; ++frame) {
        const std::int64_t sample =
            frame == 0 ? 0 : 1 + (std::min<std::int64_t>(1, stride - 1) + stride * (frame - 1)) / copies;
        for (const PointTrack& track : tracks) {
            const TrackPoint point = pointAt(track, sample);
            *out++ = (point.x - width / 2) / shorter * 2;
            *out++ = (point.y - height / 2) / shorter * 2;
            *out++ = point.seen ? 1.0F : 0.0F;
        }
    }
    return sampled;
}

Tensor framedTracks(const std::vector<PointTrack>& tracks, std::int64_t frames) {
    Tensor framed = Tensor::empty({frames, std::ssize(tracks), 3});
    auto out = framed.data<float>().begin();
    for (std::int64_t frame = 0; frame < frames; ++frame)
        for (const PointTrack& track : tracks) {
            const TrackPoint point = pointAt(track, frame);
            *out++ = point.x;
            *out++ = point.y;
            *out++ = point.seen ? 1.0F : 0.0F;
        }
    return framed;
}

Tensor subjectPixels(const Tensor& picture, std::int64_t height, std::int64_t width) {
    // In doubles and truncated, as upstream's load_ref_images does.
    const double ratio = static_cast<double>(picture.extent(1)) / static_cast<double>(picture.extent(0));
    const bool wider = ratio > static_cast<double>(width) / static_cast<double>(height);
    const std::int64_t toHeight =
        wider ? static_cast<std::int64_t>(static_cast<double>(width) / ratio) : height;
    const std::int64_t toWidth =
        wider ? width : static_cast<std::int64_t>(static_cast<double>(height) * ratio);
    if (toHeight == 0 || toWidth == 0)
        throw Error(ErrorKind::Input,
                    sentence("a reference image of {} x {} pixels is too narrow for a video of {} x {}",
                             picture.extent(1), picture.extent(0), width, height),
                    "reference_images", sentence("Use a picture that is less elongated"));
    const Tensor fitted = fittedPicture(picture, toHeight, toWidth);
    Tensor canvas = Tensor::empty({height, width, colours}, DType::U8);
    std::ranges::fill(canvas.data<std::uint8_t>(), std::uint8_t{255});
    const std::int64_t top = (height - toHeight) / 2;
    const std::int64_t left = (width - toWidth) / 2;
    const auto line = static_cast<std::size_t>(toWidth * colours);
    for (std::int64_t row = 0; row < toHeight; ++row)
        std::ranges::copy(fitted.data<std::uint8_t>().subspan(static_cast<std::size_t>(row) * line, line),
                          canvas.data<std::uint8_t>().begin() + ((top + row) * width + left) * colours);
    return toPixels(canvas);
}

Tensor readClipBefore(const RunPlan& plan, const TrustedInputs& trusted) {
    return InputReader(plan.project, trusted).clipWith([&](const HeldFile& clip) {
        const auto read = [&](const std::filesystem::path& file) { return readTakenFrames(file, plan); };
        return isClipFolder(clip.path()) ? holdVideo(clip).readWith(read) : clip.readWith(read);
    });
}

Tensor lastFrameBefore(const RunPlan& plan, const TrustedInputs& trusted) {
    const Tensor frames = readClipBefore(plan, trusted);
    const std::int64_t last = frames.extent(0) - 1;
    return frames.slice(last, last + 1).reshaped({frames.extent(1), frames.extent(2), frames.extent(3)});
}

namespace {

/// Fun Control: CLIP sees the reference, else what the video begins with, else nothing.
std::vector<Tensor> pictureOfControl(const RunPlan& plan, const InputReader& reader,
                                     const TrustedInputs& trusted) {
    if (std::vector<Tensor> references = reader.pictures("reference_images"); !references.empty())
        return references;
    if (plan.beginsWithClip())
        return {lastFrameBefore(plan, trusted)};
    return reader.fileOf(imageKey).empty() ? std::vector<Tensor>() : std::vector{reader.picture(imageKey)};
}

}  // namespace

std::vector<Tensor> readPictures(const RunPlan& plan, const TrustedInputs& trusted) {
    const InputReader reader(plan.project, trusted);
    if (plan.task == WanTask::ControlToVideo)
        return pictureOfControl(plan, reader, trusted);
    std::vector<Tensor> pictures;
    if (plan.task == WanTask::DrivenAnimation) {
        const Tensor first = readDrivingFrames(reader, 1);
        return {fittedOnBlack(reader.picture(imageKey), plan.project.height, plan.project.width),
                first.reshaped({first.extent(1), first.extent(2), first.extent(3)})};
    }
    if (plan.beginsWithClip())
        pictures.push_back(lastFrameBefore(plan, trusted));
    for (const PlannedKeyframe& seen : seenPictures(plan.keyframes, *plan.model.family))
        pictures.push_back(reader.picture(seen.key, seen.index));
    for (const std::string_view key : rowOf(plan.task).needs)
        if (findInputKey(key)->kind == InputKind::Image && !(key == imageKey && plan.beginsWithClip()))
            pictures.push_back(reader.picture(key));
    return pictures;
}

std::vector<float> readSpeech(const RunPlan& plan, const TrustedInputs& trusted) {
    const InputReader reader(plan.project, trusted);
    return reader
        .readWith(
            "speech",
            [](const std::filesystem::path& file) { return readSound(file, Wav2Vec2Config::sampleRate); })
        .values;
}

VisualInputs readVisualInputs(const RunPlan& plan, const TrustedInputs& trusted) {
    const InputReader reader(plan.project, trusted);
    VisualInputs inputs;
    readClip(plan, reader, trusted, inputs);
    switch (plan.task) {
        case WanTask::TextToVideo:
            break;
        case WanTask::SubjectsToVideo:
            for (const Tensor& picture : reader.pictures("reference_images"))
                inputs.references.push_back(subjectPixels(picture, plan.project.height, plan.project.width));
            break;
        case WanTask::TracksToVideo:
            inputs.image = readBeginning(plan, reader, inputs);
            inputs.tracks = sampledTracks(readPlannedTracks(plan, reader, trackSamples), plan.movingPart());
            break;
        case WanTask::MoveToVideo:
            inputs.image = readBeginning(plan, reader, inputs);
            inputs.tracks = framedMoves(plan, reader);
            break;
        case WanTask::FirstLastFrame:
            inputs.lastImage = readPicture(reader, "last_image");
            [[fallthrough]];
        case WanTask::ImageToVideo:
            inputs.image = readBeginning(plan, reader, inputs);
            break;
        case WanTask::KeyframesToVideo:
            inputs.given = givenClip(inputs);
            std::ranges::move(readKeyframes(plan, reader), std::back_inserter(inputs.given));
            break;
        case WanTask::VideoToVideo:
            inputs.video = readVideoInput(reader, "video");
            break;
        case WanTask::SourcesToVideo:
            readSources(plan, reader, inputs);
            break;
        case WanTask::ControlToVideo:
            readControl(plan, reader, inputs);
            break;
        case WanTask::VaceEditing:
            readEdit(plan, reader, inputs);
            break;
        case WanTask::Animation:
        case WanTask::Replacement:
            readAnimation(plan, reader, inputs);
            break;
        case WanTask::DrivenAnimation:
            readDrivenAnimation(plan, reader, inputs);
            break;
        case WanTask::SpeechToVideo:
            readSpeaker(plan, reader, inputs);
            break;
    }
    return inputs;
}

}  // namespace meshreel
