// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/keyframes.h"
#include "engine/project/numbers.h"

namespace meshreel {

struct YamlNode;

/// Which of a model's transformers an adapter is meant for.
enum class ExpertChoice {
    ByName,  ///< as the file's name says; all when it says nothing
    All,
    High,
    Low
};

/// "auto", "all", "high", "low".
std::string_view nameOf(ExpertChoice expert);

/// An adapter (LoRA) that a project names.
struct LoraChoice {
    std::string file;  ///< path, or its name in a folder "loras" of the models folder
    double strength = 1.0;
    ExpertChoice expert = ExpertChoice::ByName;  ///< which of Wan 2.2's two transformers

    friend bool operator==(const LoraChoice&, const LoraChoice&) = default;
};

/// They are added up, so the order does not matter to the result beyond rounding.
using LoraList = std::vector<LoraChoice>;

/// Returns the list in brackets on one line: [{file: a.safetensors, strength: 0.7, expert: high}].
std::string loraText(const LoraList& adapters);

/// Reads a list of maps (file, strength, expert); a map with only a file may be just its path, and a list of
/// one may be just its element. A problem has the line of what is wrong, and no key.
std::variant<LoraList, Problem> readLora(const YamlNode& node);

/// Reads MaxDiffusion's `lora_config`: named lists of one length.
std::variant<LoraList, Problem> readLoraConfig(const YamlNode& node);

/// `version` of the project files that are written. It rises with a default that changes; files of an older
/// version keep their meaning.
inline constexpr std::int64_t currentProjectVersion = 3;

/// `input_fps` of a project whose input videos are taken frame by frame.
inline constexpr std::string_view keptInputRate = "keep";

/// `metadata` of a project whose videos do not say how they were made.
inline constexpr std::string_view noMetadata = "none";

/// `sparse_attention` of a project whose tokens all attend to each other.
inline constexpr std::string_view noSparseAttention = "none";

/// What a person asked for, and nothing derived from it. The initial values are the defaults of the project
/// file; projectKeys() (project_keys.h) holds the spelling, range, unit and help of every field. The group
/// flash_block_sizes is a base, so that the rows of its keys are those of blockSizeRows().
struct Project : FlashBlockSizes {
    // Defined in one source: with a hundred members, inline definitions would weigh on each of the thirty
    // sources that copy a project.
    Project();
    Project(const Project& other);
    Project(Project&& other) noexcept;
    Project& operator=(const Project& other);
    Project& operator=(Project&& other) noexcept;
    ~Project();

    std::string prompt;
    std::string negativePrompt;
    std::int64_t maxSequenceLength = 512;
    double promptRelayEpsilon = 1e-3;  ///< what is left of a timed part's words a latent frame outside
    std::string batchPrompts;          ///< one a line, in place of `prompt`; empty: only that
    std::string batchSeeds;            ///< see parseSeeds(); in place of `seed`
    std::string wildcards;             ///< a folder, relative to the project's where it comes from one

    std::string model = "tiny-wan-t2v";  ///< name of an installed model, Hugging Face id, or folder
    LoraList lora;
    // Files in place of the model's; empty: the model's own, or what is found in the models folder.
    std::string transformerFile;
    std::string transformer2File;  ///< Wan 2.2's low-noise expert
    std::string textEncoderFile;
    std::string vaeFile;
    std::string previewFile;  ///< a small decoder, for previews alone
    std::string imageEncoderFile;
    std::string audioEncoderFile;
    std::string tokenizerFile;

    std::string task = "auto";
    std::string image;                    ///< files, relative to the project's folder where it comes from one
    std::string lastImage;                ///< a path, as firstImage
    KeyframeList keyframes;               ///< pictures at other frames
    std::string video;                    ///< a path, as firstImage
    std::string mask;                     ///< a path, as firstImage
    std::string referenceImages;          ///< paths, separated by commas
    std::int64_t referenceMaxSize = 848;  ///< longer side that Bernini-R's pictures are shrunk to, in pixels
    std::string tracks;                   ///< a path; for ATI and Wan-Move
    std::string trackVisibility;          ///< a path; where the points of tracks are in sight
    std::string poseVideo;                ///< a path; for Animate and S2V
    std::string faceVideo;                ///< a path; for Animate
    std::string backgroundVideo;          ///< a path; for Animate
    std::string speech;                   ///< a path, of a sound or a video with sound; for S2V
    double audioScale = 1;                ///< for S2V: what is heard is multiplied by it
    bool lengthBySpeech = true;           ///< for S2V: the video lasts as long as the sound
    std::string continueFrom;  ///< a path, of a video or a run's folder: the clip that this one continues
    std::string continueAt = "last";  ///< which of its frames is the last that is taken; see clipFrame()
    std::int64_t continueFrames = 0;  ///< how many of its frames this clip begins with; 0: as suits the task
    std::int64_t segmentFrameLength = 77;
    std::int64_t prevSegmentConditioningFrames = 1;
    std::string drivingKeys = "auto";     ///< how passes come by the keys of Animate-2's driving video
    double strength = 0.8;                ///< for video to video
    std::string conditioningScale = "1";  ///< for VACE; one number or one for each of its blocks

    std::int64_t height = 64;
    std::int64_t width = 64;
    std::int64_t numFrames = 17;
    double fps = 16.0;
    std::string inputFps = "project";  ///< "keep": every frame of an input video is taken
    std::string videoFormat = "mp4";
    std::int64_t videoQuality = 80;
    std::string audio = "keep";     ///< "keep", "none" or a file, relative to the project's folder
    std::string metadata = "full";  ///< in videos: "full" or "none"
    double interpolate = 1;         ///< frames a second of the finished video, times fps; 1: as they are
    std::string interpolator;       ///< a path of RIFE's weights, or finish_name::blend
    double upscale = 1;             ///< sides of the finished video, times width and height
    std::string upscaler;           ///< a path of weights of ESRGAN's kind, or finish_name::lanczos

    std::string preset = "none";  ///< see SamplingPreset
    std::int64_t numInferenceSteps = 24;
    double guidanceScale = 3.0;
    double guidanceScaleHigh = 0;      ///< for the first of two experts; 0: guidanceScale
    double guidanceScaleLow = 0;       ///< for the second
    double guidanceScaleImage = 5;     ///< for pictures of Phantom and Bernini-R, when guidanceScale guides
    double guidanceScaleVideo = 1.25;  ///< for Bernini-R's video beside pictures, likewise
    double nagScale = 0;       ///< normalized attention guidance by the negative prompt; 1 or less: none
    double nagTau = 2.5;       ///< most that it may lengthen a row by
    double nagAlpha = 0.25;    ///< its part in the result
    double boundaryRatio = 0;  ///< timestep / 1000 from which on the first expert works; 0: the model's
    double flowShift = 3.0;
    Seed seed = 0;
    std::string scheduler = "auto";
    std::string sigmaSpacing = "auto";
    std::string sigmas;     ///< the run's own noise levels, separated by commas; empty: evenly spaced
    std::string timesteps;  ///< a list as timesteps
    std::string noise = "counter";

    bool useCfgCache = false;
    bool useSenCache = false;
    bool useMagcache = false;
    double magcacheThresh = 0;  ///< 0: as published with the curve
    std::int64_t magcacheK = 2;
    double retentionRatio = 0.2;
    std::string magRatiosBase;  ///< numbers separated by commas; empty: the file's, or as published
    std::string magRatiosFile;  ///< relative to the project's folder where it comes from one
    bool useTeacache = false;
    double teacacheThresh = 0;         ///< 0: the model's own
    std::string teacacheCoefficients;  ///< numbers separated by commas; empty: as published
    bool useFirstBlockCache = false;
    bool useEasycache = false;
    double easycacheThresh = 0.2;
    double easycacheStart = 0.15;
    double easycacheEnd = 0.95;
    double firstBlockThreshold = 0.05;
    std::string compareWith;  ///< a run's folder, likewise

    std::int64_t contextFrames = 0;    ///< frames of the video in a window; 0: it is denoised whole
    std::int64_t contextOverlap = 16;  ///< frames, likewise
    std::int64_t contextStride = 1;    ///< levels of windows with more and more frames left out between
    std::string contextSchedule = "static";
    std::string contextFuse = "pyramid";
    bool contextFreenoise = true;
    bool contextRetainFirst = false;

    std::string attention = "flash";
    std::int64_t flashMinSeqLength = 0;
    std::string sparseAttention = "none";
    double sparseTau = 1.3;
    double sparseDecay = 1.0;
    double svgSpatialDensity = 0.25;
    double svgHighNoiseDensity = 0.5;
    double svgLowNoiseDensity = 0.2;
    std::int64_t svgProfileQueryCount = 64;
    std::int64_t svgSampleMaxRow = 10000;
    std::int64_t svgProfileSeed = 0;
    bool svgIncludeFirstFrame = true;
    double sparseStartPercent = 0.2;  ///< shares, as diffusers and ComfyUI name them
    double sparseEndPercent = 1.0;
    std::string sparseDenseLayers;  ///< numbers separated by commas
    std::int64_t sparseMinTokens = 12288;
    bool useBase2Exp = true;
    bool maskPaddingTokens = true;

    std::int64_t iciDataParallelism = 1;
    std::int64_t iciFsdpParallelism = 1;
    std::int64_t iciContextParallelism = -1;
    std::int64_t iciTensorParallelism = 1;
    std::int64_t dcnDataParallelism = 1;
    std::int64_t dcnFsdpParallelism = 1;
    std::int64_t dcnContextParallelism = -1;
    std::int64_t dcnTensorParallelism = 1;
    std::int64_t ulyssesShards = -1;
    std::int64_t ulyssesAttentionChunks = 1;
    bool attentionShardingUniform = true;
    std::int64_t devices = 0;  ///< in the mesh; 0: as many as there are ranks, or as the axes require
    std::string hosts;         ///< hosts file for launching ranks; empty: this machine only
    bool broadcastWeights = false;
    std::int64_t stallTimeout = 300;  ///< seconds

    std::string weightsDtype = "float32";
    std::string activationsDtype = "float32";
    std::string textEncoderDtype = "float32";
    std::string vaeDtype = "float32";
    std::string vaeWeightsDtype = "float32";
    std::string schedulerDtype = "float32";

    std::int64_t vaeDecodeChunk = 1;
    std::int64_t vaeEncodeChunk = 4;
    std::int64_t vaeSpatial = -1;
    bool replicateVae = false;

    std::string name;          ///< run_name: what run folders are called after; empty takes the file's name
    std::int64_t workers = 0;  ///< threads of each device; 0 divides every CPU
    GpuChoice gpus = GpuChoice::anyReal();
    double memoryBudget = 0;  ///< GiB; 0: what the system can give, and every layer stays in memory

    friend bool operator==(const Project&, const Project&) = default;
};

/// Error{Project} carrying every problem found; what() is the first error, "(and N more)" added.
class ProjectError : public Error {
  public:
    /// At least one problem must be an error.
    explicit ProjectError(std::vector<Problem> problems);

    [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return m_problems; }

  private:
    std::vector<Problem> m_problems;
};

}  // namespace meshreel
