// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/media/video_writer.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/models/families/model_family.h"
#include "engine/models/finish/finish_names.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/presets.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/sampling/context_windows.h"
#include "engine/sampling/noise.h"
#include "engine/sampling/scheduler.h"
#include "engine/sampling/sigma_schedules.h"

namespace meshreel {
namespace {

// What keys may be: the rows of other tables.

template <typename Rows>
std::vector<Choice> choicesFrom(const Rows& rows) {
    std::vector<Choice> choices;
    for (const auto& row : rows)
        choices.push_back({row.name, row.help});
    return choices;
}

std::vector<Choice> attentionChoices() {
    return choicesFrom(attentionModes());
}

std::vector<Choice> sparseChoices() {
    return {{noSparseAttention, "Every token attends to every token."},
            {"sol",
             "Sol-Attn: exactly to the blocks whose mean scores highest, to the means of the others; "
             "approximate."},
            {"radial", "Radial attention: to fewer and fewer tokens of frames further away; approximate."},
            {"svg", "Sparse VideoGen: each head to what is near in space, or near in time; approximate."}};
}

std::vector<Choice> noiseChoices() {
    return choicesFrom(noiseKinds());
}

std::vector<Choice> formatChoices() {
    return choicesFrom(videoFormats());
}

std::vector<Choice> presetChoices() {
    return choicesFrom(samplingPresets());
}

std::vector<Choice> schedulerChoices() {
    std::vector<Choice> choices = {{checkpointScheduler, "The scheduler that the checkpoint names."}};
    std::ranges::copy(choicesFrom(schedulerKinds()), std::back_inserter(choices));
    return choices;
}

std::vector<Choice> spacingChoices() {
    std::vector<Choice> choices = {{automaticSpacing, "As the scheduler spaces them."}};
    std::ranges::copy(choicesFrom(ownSpacings()), std::back_inserter(choices));
    return choices;
}

std::vector<Choice> taskChoices() {
    std::vector<Choice> choices = {{automaticTask, "What the model does with the inputs that are given."}};
    std::ranges::copy(choicesFrom(wanTasks()), std::back_inserter(choices));
    return choices;
}

std::vector<Choice> drivingKeysChoices() {
    std::vector<Choice> choices = {
        {automaticDrivingKeys, "The first of the others that memory has room for."}};
    std::ranges::copy(choicesFrom(drivingKeysRows()), std::back_inserter(choices));
    return choices;
}

std::vector<Choice> windowScheduleChoices() {
    return choicesFrom(windowSchedules());
}

std::vector<Choice> windowFuseChoices() {
    return choicesFrom(windowFuses());
}

std::vector<Choice> dtypeChoices() {
    return {{"float32", "32-bit floating point."},
            {"bfloat16", "16-bit floating point with the exponent of float32."}};
}

std::vector<Choice> weightsDtypeChoices() {
    std::vector<Choice> choices = dtypeChoices();
    choices.push_back(
        {"int8", "8-bit integers with a scale for each output; inputs are rounded to 8 bits too."});
    return choices;
}

std::vector<Choice> inputRateChoices() {
    return {{"project",
             "Those that are on show at the times of fps, so that the motion keeps its speed; folders "
             "of frames have no rate and are taken one by one."},
            {keptInputRate, "Every frame, whatever the rate of the file."}};
}

std::vector<Choice> metadataChoices() {
    return {{"full", "The prompt and the whole project, so that the video can be made again."},
            {noMetadata, "Nothing: for videos that are given away."}};
}

// What the program decides where a value leaves it to it: see ProjectKey::automatic.

constexpr std::string_view automaticWord = "automatic";
constexpr std::string_view restWord = "the rest";
constexpr std::string_view modelsOwnWord = "the model's own";
constexpr std::string_view publishedWord = "as published";
constexpr std::string_view spacedWord = "as spaced";

constexpr std::int64_t frameStep = 4;  // pixel frames to a latent frame after the first

/// An axis, or devices that share something; -1: what is left over.
constexpr IntegerRange meshRange{.minimum = 1, .maximum = maxMeshDevices, .automatic = -1};

// The keys, section by section, in the order in which they are shown and written. A long section has several
// functions.

std::vector<ProjectKey> modelKeys() {
    return {
        {.name = "pretrained_model_name_or_path",
         .member = &Project::model,
         .section = "Task & model",
         .title = "Model",
         .help =
             "An installed model's name, a Hugging Face id, a checkpoint folder in diffusers layout, or a "
             "transformer's file, whose other parts are found in the models folder.",
         .level = KeyLevel::Basic,
         .form = TextForm::Model},
        {.name = "lora",
         .member = &Project::lora,
         .section = "Task & model",
         .title = "Adapters",
         .help = "Adapters (LoRA) that are merged into the transformer: a list of {file: PATH, strength: 1}, "
                 "with expert: high, low or all where their names do not say for which of Wan 2.2's two "
                 "transformers they are made.",
         .level = KeyLevel::Basic},
        {.name = "parts.transformer",
         .member = &Project::transformerFile,
         .section = "Task & model",
         .title = "Transformer",
         .help = "File or folder of the transformer's weights; of Wan 2.2's two the high-noise expert. Empty "
                 "takes the model's own.",
         .form = TextForm::File,
         .automatic = modelsOwnWord},
        {.name = "parts.transformer_2",
         .member = &Project::transformer2File,
         .section = "Task & model",
         .title = "Second transformer",
         .help = "File or folder of Wan 2.2's low-noise expert. Empty takes the model's own.",
         .form = TextForm::File,
         .automatic = modelsOwnWord},
        {.name = "parts.text_encoder",
         .member = &Project::textEncoderFile,
         .section = "Task & model",
         .title = "Text encoder",
         .help = "File or folder of the text encoder (UMT5-XXL). Empty takes the model's own.",
         .form = TextForm::File,
         .automatic = modelsOwnWord},
        {.name = "parts.vae",
         .member = &Project::vaeFile,
         .section = "Task & model",
         .title = "VAE",
         .help = "File or folder of the VAE; Wan 2.1's has 16 channels, that of TI2V-5B 48. A small decoder "
                 "(TAEHV: taew2_1, taew2_2) decodes faster and less exactly, and text to video only. Empty "
                 "takes the model's own.",
         .form = TextForm::File,
         .automatic = modelsOwnWord},
        {.name = "parts.preview",
         .member = &Project::previewFile,
         .section = "Task & model",
         .title = "Preview decoder",
         .help = "File of a small decoder (TAEHV: taew2_1, taew2_2) that makes the previews of steps. Empty "
                 "makes them by a linear map from latents to colours, which takes less time and shows less.",
         .form = TextForm::File,
         .automatic = "a linear map"},
        {.name = "parts.image_encoder",
         .member = &Project::imageEncoderFile,
         .section = "Task & model",
         .title = "Image encoder",
         .help = "File or folder of the image encoder (CLIP ViT-H) of image-to-video models. Empty takes the "
                 "model's own.",
         .form = TextForm::File,
         .automatic = modelsOwnWord},
        {.name = "parts.audio_encoder",
         .member = &Project::audioEncoderFile,
         .section = "Task & model",
         .title = "Sound encoder",
         .help =
             "File or folder of the sound encoder (wav2vec 2.0, XLSR-53) of speech-to-video models. Empty "
             "takes the model's own.",
         .form = TextForm::File,
         .automatic = modelsOwnWord},
        {.name = "parts.tokenizer",
         .member = &Project::tokenizerFile,
         .section = "Task & model",
         .title = "Tokenizer",
         .help =
             "Folder of the tokenizer, or its tokenizer.json or spiece.model. Empty takes the model's own.",
         .form = TextForm::File,
         .automatic = modelsOwnWord},
    };
}

std::vector<ProjectKey> taskKeys() {
    return {
        {.name = "task",
         .member = &Project::task,
         .section = "Task & model",
         .title = "Task",
         .help = "What the video is made of.",
         .choices = taskChoices,
         .level = KeyLevel::Basic},
        {.name = "image",
         .member = &Project::image,
         .section = "Task & model",
         .title = "First image",
         .help =
             "Picture file that the video begins with, or of the character that is animated, at the video's "
             "size whatever its own; relative to the project's folder.",
         .level = KeyLevel::Basic},
        {.name = "last_image",
         .member = &Project::lastImage,
         .section = "Task & model",
         .title = "Last image",
         .help = "Picture file that the video ends with.",
         .level = KeyLevel::Basic},
        {.name = "keyframes",
         .member = &Project::keyframes,
         .section = "Task & model",
         .title = "Keyframes",
         .help = "Pictures that the video shows at places of your choice: a list of {frame: 8, image: PATH}, "
                 "with frames counted from 0, or seconds: 1.5 or percent: 50 in place of frame.",
         .level = KeyLevel::Basic},
        {.name = "video",
         .member = &Project::video,
         .section = "Task & model",
         .title = "Video",
         .help =
             "Video, picture or folder of numbered pictures that is made again or edited, that controls "
             "Fun Control (depth, edges, poses), or whose motion Animate-2 takes; its first num_frames at "
             "the rate of fps are taken.",
         .level = KeyLevel::Basic},
        {.name = "mask",
         .member = &Project::mask,
         .section = "Task & model",
         .title = "Mask",
         .help =
             "Video, picture or drawing that is white where VACE makes something new, or Animate puts the "
             "character, and black where the video stays; VACE makes all new without it.",
         .level = KeyLevel::Basic},
        {.name = "reference_images",
         .member = &Project::referenceImages,
         .section = "Task & model",
         .title = "Reference images",
         .help = "Picture files, separated by commas, of what VACE, Phantom, Bernini-R or Fun Control should "
                 "show; "
                 "Phantom takes one to four, each of one subject, and Fun Control one.",
         .level = KeyLevel::Basic},
        {.name = "reference_max_size",
         .member = &Project::referenceMaxSize,
         .section = "Task & model",
         .title = "Size of references",
         .help =
             "Bernini-R sees reference_images in their own shape: larger ones are shrunk until their longer "
             "side is this long. Fewer pixels are fewer tokens in each step.",
         .unit = "pixels",
         .range = IntegerRange{.minimum = 16, .maximum = 8192, .step = 16}},
        {.name = "tracks",
         .member = &Project::tracks,
         .section = "Task & model",
         .title = "Tracks",
         .help =
             "File of the tracks along which ATI and Wan-Move move points of image: a drawing of the Studio; "
             "JSON, a list of tracks, each a list of {\"x\": 416, \"y\": 240} in pixels of the video, as "
             "ComfyUI's spline editors write it; or NumPy's .npy of [points, tracks, 2]. For ATI 121 points "
             "span the video, for Wan-Move each point is a frame's; a track of fewer ends earlier.",
         .level = KeyLevel::Basic},
        {.name = "track_visibility",
         .member = &Project::trackVisibility,
         .section = "Task & model",
         .title = "Track visibility",
         .help = "NumPy's .npy of [points, tracks]: 1 where the points of tracks are in sight, else 0; "
                 "without it all are.",
         .level = KeyLevel::Basic},
        {.name = "pose_video",
         .member = &Project::poseVideo,
         .section = "Task & model",
         .title = "Pose video",
         .help = "Video or folder of numbered pictures of the poses that the character of image takes, as "
                 "preprocessing for Wan Animate draws them; S2V does without.",
         .level = KeyLevel::Basic},
        {.name = "face_video",
         .member = &Project::faceVideo,
         .section = "Task & model",
         .title = "Face video",
         .help = "Video or folder of numbered pictures of the face whose expressions the character takes on.",
         .level = KeyLevel::Basic},
        {.name = "background_video",
         .member = &Project::backgroundVideo,
         .section = "Task & model",
         .title = "Background video",
         .help = "Video that the character is put into where mask is white.",
         .level = KeyLevel::Basic},
        {.name = "speech",
         .member = &Project::speech,
         .section = "Task & model",
         .title = "Speech",
         .help = "Sound file, or video with sound, that the person of image says or sings.",
         .level = KeyLevel::Basic},
        {.name = "audio_scale",
         .member = &Project::audioScale,
         .section = "Task & model",
         .title = "Sound strength",
         .help = "How strongly the sound of speech moves the lips: 1 as S2V was made, more where guidance is "
                 "off.",
         .range = RealRange{.minimum = 0, .maximum = 10}},
        {.name = "length_by_speech",
         .member = &Project::lengthBySpeech,
         .section = "Task & model",
         .title = "As long as the speech",
         .help = "The video lasts as long as the sound of speech, up to 3 frames more, in place of "
                 "num_frames.",
         .level = KeyLevel::Basic},
        {.name = "segment_frame_length",
         .member = &Project::segmentFrameLength,
         .section = "Task & model",
         .title = "Segment",
         .help = "Frames that an animation is made of at a time: a multiple of 4, plus 1.",
         .unit = "frames",
         .range = IntegerRange{.minimum = 5, .maximum = 4001, .step = frameStep}},
        {.name = "prev_segment_conditioning_frames",
         .member = &Project::prevSegmentConditioningFrames,
         .section = "Task & model",
         .title = "Overlap of segments",
         .help = "Last frames of a segment that the next one begins with; Wan Animate was made for 1 or 5.",
         .unit = "frames",
         .range = IntegerRange{.minimum = 1, .maximum = 5, .step = frameStep}},
        {.name = "driving_keys",
         .member = &Project::drivingKeys,
         .section = "Task & model",
         .title = "Keys of the driving video",
         .help = "How every step comes by what Animate-2 attends to in its video.",
         .choices = drivingKeysChoices},
        {.name = "strength",
         .member = &Project::strength,
         .section = "Task & model",
         .title = "Strength",
         .help = "How much of the video may change in video to video: the part of the steps that is done.",
         .range = RealRange{.minimum = 0, .maximum = 1},
         .level = KeyLevel::Basic},
        {.name = "conditioning_scale",
         .member = &Project::conditioningScale,
         .section = "Task & model",
         .title = "Control strength",
         .help = "How strongly VACE's blocks steer: one number, or one for each block, separated by commas.",
         .form = TextForm::Numbers},
    };
}

std::vector<ProjectKey> continueKeys() {
    return {
        {.name = "continue_from",
         .member = &Project::continueFrom,
         .section = "Continue",
         .title = "Continue from",
         .help =
             "Run folder, video or folder of numbered pictures that this clip goes on from; its frames are "
             "resized to this video.",
         .level = KeyLevel::Basic},
        {.name = "continue_at",
         .member = &Project::continueAt,
         .section = "Continue",
         .title = "From frame",
         .help = "Frame of that clip after which this one goes on, counted from 0, or last."},
        {.name = "continue_frames",
         .member = &Project::continueFrames,
         .section = "Continue",
         .title = "Shared frames",
         .help =
             "Frames of that clip, up to this one, that the new clip begins with: a multiple of 4, plus 1. 0 "
             "takes what suits the task, as far as 4 frames are new: 1 for image to video, tracks and "
             "keyframes; 5 for VACE; 13 for text, subjects and video to video; as many as segments share for "
             "an animation.",
         .unit = "frames",
         .range = IntegerRange{.minimum = 0, .maximum = 1001},
         .automatic = automaticWord},
    };
}

std::vector<ProjectKey> promptKeys() {
    return {
        {.name = "prompt",
         .member = &Project::prompt,
         .section = "Prompt",
         .title = "Prompt",
         .help = "What the video should show. [0:33%] … [33%:] … says it for a part of the time, in percent, "
                 "seconds (2s, 0:02) or frames; words before the first mark hold all the time. With context "
                 "windows, prompts parted by | follow each other.",
         .level = KeyLevel::Basic,
         .form = TextForm::Paragraph},
        {.name = "negative_prompt",
         .member = &Project::negativePrompt,
         .section = "Prompt",
         .title = "Negative prompt",
         .help = "What guidance steers away from; used when guidance_scale or nag_scale is above 1.",
         .level = KeyLevel::Basic,
         .form = TextForm::Paragraph},
        {.name = "max_sequence_length",
         .member = &Project::maxSequenceLength,
         .section = "Prompt",
         .title = "Text length",
         .help = "Tokens that a prompt is cut or padded to; Wan models were trained with 512.",
         .unit = "tokens",
         .range = IntegerRange{.minimum = 1, .maximum = 4096}},
        {.name = "prompt_relay_epsilon",
         .member = &Project::promptRelayEpsilon,
         .section = "Prompt",
         .title = "Softness of timed parts",
         .help =
             "How softly the parts of a timed prompt, [0:33%] … [33%:] …, pass into each other: the larger, "
             "the more of a part is seen before and after its time.",
         .range = RealRange{.minimum = 1e-6, .maximum = 0.9}},
        {.name = "batch_prompts",
         .member = &Project::batchPrompts,
         .section = "Prompt",
         .title = "Prompts of a batch",
         .help = "Makes several videos in one run: a prompt on each line, in place of prompt.",
         .form = TextForm::Paragraph},
        {.name = "batch_seeds",
         .member = &Project::batchSeeds,
         .section = "Prompt",
         .title = "Seeds of a batch",
         .help = "Makes every prompt's video once with each of these seeds, separated by commas, in place of "
                 "seed; -1 is a random one.",
         .form = TextForm::Numbers},
        {.name = "wildcards",
         .member = &Project::wildcards,
         .section = "Prompt",
         .title = "Wildcard files",
         .help = "Folder with text files for prompts: __colour__ stands for a line of colour.txt, which the "
                 "seed draws. What it does not hold is looked up in the user's own folder of wildcards.",
         .form = TextForm::File},
    };
}

std::vector<ProjectKey> frameKeys() {
    constexpr std::int64_t vaeStride = 8;
    constexpr std::int64_t sizeStep = 2 * vaeStride;  // the transformer's patches are 2x2 latents
    constexpr IntegerRange sizeRange{.minimum = sizeStep, .maximum = 4096, .step = sizeStep};
    return {
        {.name = "height",
         .member = &Project::height,
         .section = "Frames",
         .title = "Height",
         .help = "Height of the video.",
         .unit = "pixels",
         .range = sizeRange,
         .level = KeyLevel::Basic},
        {.name = "width",
         .member = &Project::width,
         .section = "Frames",
         .title = "Width",
         .help = "Width of the video.",
         .unit = "pixels",
         .range = sizeRange,
         .level = KeyLevel::Basic},
        {.name = "num_frames",
         .member = &Project::numFrames,
         .section = "Frames",
         .title = "Frames",
         .help = "Length of the video: a multiple of 4, plus 1.",
         .unit = "frames",
         .range = IntegerRange{.minimum = 1, .maximum = 4001, .step = frameStep},
         .level = KeyLevel::Basic},
        {.name = "fps",
         .member = &Project::fps,
         .section = "Frames",
         .title = "Frame rate",
         .help = "Speed at which the video plays, and at which a video that the task takes is sampled.",
         .unit = "frames per second",
         .range = RealRange{.minimum = 1, .maximum = 240},
         .level = KeyLevel::Basic},
        {.name = "input_fps",
         .member = &Project::inputFps,
         .section = "Frames",
         .title = "Rate of inputs",
         .help = "Which frames of video, mask, pose_video, face_video and background_video are taken.",
         .choices = inputRateChoices},
    };
}

std::vector<ProjectKey> samplingKeys() {
    return {
        {.name = "preset",
         .member = &Project::preset,
         .section = "Sampling",
         .title = "Preset",
         .help = "Values that belong together and take the place of the defaults; what is written beside "
                 "wins.",
         .choices = presetChoices,
         .level = KeyLevel::Basic,
         .follow = followPreset},
        {.name = "num_inference_steps",
         .member = &Project::numInferenceSteps,
         .section = "Sampling",
         .title = "Steps",
         .help = "Denoising steps; more take longer and refine the video.",
         .unit = "steps",
         .range = IntegerRange{.minimum = 1, .maximum = 1000},
         .level = KeyLevel::Basic},
        {.name = "guidance_scale",
         .member = &Project::guidanceScale,
         .section = "Sampling",
         .title = "Guidance",
         .help = "How strongly the prompt is followed; 1 or less turns guidance off and halves the work.",
         .range = RealRange{.minimum = 0, .maximum = 100},
         .level = KeyLevel::Basic},
        {.name = "guidance_scale_high",
         .member = &Project::guidanceScaleHigh,
         .section = "Sampling",
         .title = "Guidance at high noise",
         .help = "Guidance of the first of two experts; 0 takes guidance_scale.",
         .range = RealRange{.minimum = 0, .maximum = 100},
         .automatic = automaticWord},
        {.name = "guidance_scale_low",
         .member = &Project::guidanceScaleLow,
         .section = "Sampling",
         .title = "Guidance at low noise",
         .help = "Guidance of the second of two experts; 0 takes guidance_scale.",
         .range = RealRange{.minimum = 0, .maximum = 100},
         .automatic = automaticWord},
        {.name = "guidance_scale_image",
         .member = &Project::guidanceScaleImage,
         .section = "Sampling",
         .title = "Guidance by pictures",
         .help =
             "How strongly Phantom and Bernini-R follow reference_images; guidance_scale says how strongly "
             "they follow the prompt (their own programs: 7.5 and 4; pictures 5 and 4.5). For Phantom 1 or "
             "less turns this off and saves one of a step's passes, for Bernini-R 1; with video only where "
             "guidance_scale_video is 1, too.",
         .range = RealRange{.minimum = 0, .maximum = 100},
         .level = KeyLevel::Basic},
        {.name = "guidance_scale_video",
         .member = &Project::guidanceScaleVideo,
         .section = "Sampling",
         .title = "Guidance by the video",
         .help =
             "How strongly Bernini-R follows video where reference_images are given, too (its own program: "
             "1.25). 1 turns this off and saves one of a step's four passes.",
         .range = RealRange{.minimum = 0, .maximum = 100},
         .level = KeyLevel::Basic},
        {.name = "nag_scale",
         .member = &Project::nagScale,
         .section = "Sampling",
         .title = "Attention guidance",
         .help = "How strongly attention is pushed away from the negative prompt, without a second pass "
                 "(NAG): also where guidance_scale is 1, as with distilled models. 11 is usual; 1 or less "
                 "turns it off.",
         .range = RealRange{.minimum = 0, .maximum = 100},
         .level = KeyLevel::Basic},
        {.name = "nag_tau",
         .member = &Project::nagTau,
         .section = "Sampling",
         .title = "Bound of attention guidance",
         .help = "What nag_scale makes of a token is at most so many times as large as what the prompt alone "
                 "makes of it.",
         .range = RealRange{.minimum = 0, .maximum = 10}},
        {.name = "nag_alpha",
         .member = &Project::nagAlpha,
         .section = "Sampling",
         .title = "Part of attention guidance",
         .help = "Mixes what nag_scale makes of a token with what the prompt alone makes of it: 1 takes the "
                 "former, 0 the latter.",
         .range = RealRange{.minimum = 0, .maximum = 1}},
        {.name = "boundary_ratio",
         .member = &Project::boundaryRatio,
         .section = "Sampling",
         .title = "Boundary of the experts",
         .help = "Part of the noise levels' range from which on the first of two experts works, below it the "
                 "second; 0 takes the model's own.",
         .range = RealRange{.minimum = 0, .maximum = 1},
         .automatic = automaticWord},
        {.name = "flow_shift",
         .member = &Project::flowShift,
         .section = "Sampling",
         .title = "Flow shift",
         .help = "Moves the noise levels of the steps towards high noise; Wan uses 3 at 480p and 5 at 720p.",
         .range = RealRange{.minimum = 0.01, .maximum = 100},
         .level = KeyLevel::Basic},
        {.name = "seed",
         .member = &Project::seed,
         .section = "Sampling",
         .title = "Seed",
         .help =
             "Number that the initial noise is drawn from; the same seed gives the same video. -1 draws a "
             "random one for each run, which records it.",
         .level = KeyLevel::Basic,
         .automatic = "random"},
        {.name = "scheduler",
         .member = &Project::scheduler,
         .section = "Sampling",
         .title = "Scheduler",
         .help = "The solver that walks from noise to video.",
         .choices = schedulerChoices,
         .level = KeyLevel::Basic},
        {.name = "sigma_spacing",
         .member = &Project::sigmaSpacing,
         .section = "Sampling",
         .title = "Spacing of noise levels",
         .help = "How the noise levels of the steps are spaced.",
         .choices = spacingChoices},
        {.name = "sigmas",
         .member = &Project::sigmas,
         .section = "Sampling",
         .title = "Noise levels",
         .help = "The run's own noise levels from 1 down, separated by commas, before the flow shift; they "
                 "take the place of num_inference_steps.",
         .form = TextForm::Numbers,
         .automatic = spacedWord},
        {.name = "timesteps",
         .member = &Project::timesteps,
         .section = "Sampling",
         .title = "Timesteps",
         .help = "The same as timesteps from 1000 down, as distilled models name them: 1000, 750, 500, 250.",
         .form = TextForm::Numbers,
         .automatic = spacedWord},
        {.name = "noise",
         .member = &Project::noise,
         .section = "Sampling",
         .title = "Noise",
         .help = "How the seed becomes the initial noise.",
         .choices = noiseChoices},
    };
}

std::vector<ProjectKey> stepCacheKeys() {
    return {
        {.name = "use_cfg_cache",
         .member = &Project::useCfgCache,
         .section = "Step caches",
         .title = "CFG cache",
         .help =
             "Makes the negative prompt's half up from earlier steps in four of five steps of the middle; "
             "approximate."},
        {.name = "use_sen_cache",
         .member = &Project::useSenCache,
         .section = "Step caches",
         .title = "SenCache",
         .help = "Takes whole predictions over while the latents change little; for Wan 2.2's models of two "
                 "transformers; approximate."},
        {.name = "use_magcache",
         .member = &Project::useMagcache,
         .section = "Step caches",
         .title = "MagCache",
         .help = "Leaves the transformer's blocks out in steps where a curve measured before says that they "
                 "add what they added before; approximate."},
        {.name = "magcache_thresh",
         .member = &Project::magcacheThresh,
         .section = "Step caches",
         .title = "MagCache error",
         .help = "Error that MagCache may gather before a step is computed in full; 0 takes the curve's own.",
         .range = RealRange{.minimum = 0, .maximum = 10},
         .automatic = automaticWord},
        {.name = "magcache_K",
         .member = &Project::magcacheK,
         .section = "Step caches",
         .title = "MagCache in a row",
         .help = "Steps that MagCache leaves the blocks out of one after the other, at most.",
         .unit = "steps",
         .range = IntegerRange{.minimum = 0, .maximum = 1000}},
        {.name = "retention_ratio",
         .member = &Project::retentionRatio,
         .section = "Step caches",
         .title = "MagCache begins at",
         .help = "Part of a transformer's steps, at their beginning, that MagCache computes in full.",
         .range = RealRange{.minimum = 0, .maximum = 1}},
        {.name = "mag_ratios_base",
         .member = &Project::magRatiosBase,
         .section = "Step caches",
         .title = "MagCache curve",
         .help = "The curve as numbers separated by commas, for each step the prompt's and the negative "
                 "prompt's; empty takes mag_ratios_file, or the one published for the model.",
         .form = TextForm::Numbers,
         .automatic = publishedWord},
        {.name = "mag_ratios_file",
         .member = &Project::magRatiosFile,
         .section = "Step caches",
         .title = "MagCache curve file",
         .help = "Curve that meshreel calibrate magcache has measured; relative to the project's folder.",
         .form = TextForm::File},
        {.name = "use_teacache",
         .member = &Project::useTeacache,
         .section = "Step caches",
         .title = "TeaCache",
         .help = "Leaves the transformer's blocks out in steps whose time is nearly that of the step before, "
                 "after a published fit; approximate."},
        {.name = "teacache_thresh",
         .member = &Project::teacacheThresh,
         .section = "Step caches",
         .title = "TeaCache change",
         .help =
             "Change of the prediction that TeaCache may gather before a step is computed in full; 0 takes "
             "the model's own.",
         .range = RealRange{.minimum = 0, .maximum = 10},
         .automatic = automaticWord},
        {.name = "teacache_coefficients",
         .member = &Project::teacacheCoefficients,
         .section = "Step caches",
         .title = "TeaCache fit",
         .help =
             "Polynomial from the time embedding's change to the prediction's, highest power first; empty "
             "takes the one published for the model.",
         .form = TextForm::Numbers,
         .automatic = publishedWord},
        {.name = "use_first_block_cache",
         .member = &Project::useFirstBlockCache,
         .section = "Step caches",
         .title = "First-block cache",
         .help = "Computes the transformer's first block and, where it adds nearly what it added before, "
                 "leaves the others out; approximate."},
        {.name = "first_block_threshold",
         .member = &Project::firstBlockThreshold,
         .section = "Step caches",
         .title = "First-block change",
         .help = "Relative change of what the first block adds up to which the others are left out.",
         .range = RealRange{.minimum = 0, .maximum = 10}},
        {.name = "use_easycache",
         .member = &Project::useEasycache,
         .section = "Step caches",
         .title = "EasyCache",
         .help =
             "Takes whole predictions over while the latents, by what the last steps showed, would change "
             "them little; needs no curve; approximate."},
        {.name = "easycache_thresh",
         .member = &Project::easycacheThresh,
         .section = "Step caches",
         .title = "EasyCache change",
         .help =
             "Change of the prediction, as a part of its size, that EasyCache may gather before a step is "
             "computed.",
         .range = RealRange{.minimum = 0, .maximum = 10}},
        {.name = "easycache_start",
         .member = &Project::easycacheStart,
         .section = "Step caches",
         .title = "EasyCache begins at",
         .help = "Part of the noise, from the beginning, in which EasyCache computes every step.",
         .range = RealRange{.minimum = 0, .maximum = 1}},
        {.name = "easycache_end",
         .member = &Project::easycacheEnd,
         .section = "Step caches",
         .title = "EasyCache ends at",
         .help = "Part of the noise after which EasyCache computes every step again.",
         .range = RealRange{.minimum = 0, .maximum = 1}},
        {.name = "compare_with",
         .member = &Project::compareWith,
         .section = "Step caches",
         .title = "Compare with run",
         .help = "Folder of a finished run of the same size, usually without a cache: the run tells how far "
                 "its frames are from those (PSNR and SSIM).",
         .form = TextForm::File},
    };
}

std::vector<ProjectKey> contextWindowKeys() {
    return {
        {.name = "context_frames",
         .member = &Project::contextFrames,
         .section = "Context windows",
         .title = "Window",
         .help = "Frames that are denoised together, for clips longer than the model was trained with (Wan: "
                 "81): a multiple of 4, plus 1. 0 denoises all at once.",
         .unit = "frames",
         .range = IntegerRange{.minimum = 5, .maximum = 4001, .step = frameStep, .automatic = 0},
         .automatic = "all at once"},
        {.name = "context_overlap",
         .member = &Project::contextOverlap,
         .section = "Context windows",
         .title = "Overlap of windows",
         .help = "Frames that neighbouring windows share; more of them join windows better and take longer.",
         .unit = "frames",
         .range = IntegerRange{.minimum = 0, .maximum = 4000}},
        {.name = "context_schedule",
         .member = &Project::contextSchedule,
         .section = "Context windows",
         .title = "Windows of a step",
         .help = "Where the windows of each step lie.",
         .choices = windowScheduleChoices},
        {.name = "context_stride",
         .member = &Project::contextStride,
         .section = "Context windows",
         .title = "Levels of windows",
         .help = "1 denoises neighbouring frames together; 2 adds windows of every second frame, 3 of every "
                 "fourth, as far as they fit into the clip. For uniform and looped windows.",
         .range = IntegerRange{.minimum = 1, .maximum = 8}},
        {.name = "context_fuse",
         .member = &Project::contextFuse,
         .section = "Context windows",
         .title = "Fusing of windows",
         .help = "How predictions are weighed where windows overlap.",
         .choices = windowFuseChoices},
        {.name = "context_freenoise",
         .member = &Project::contextFreenoise,
         .section = "Context windows",
         .title = "FreeNoise",
         .help = "Frames behind the first window begin with the shuffled noise of earlier ones, which keeps "
                 "the windows alike."},
        {.name = "context_retain_first",
         .member = &Project::contextRetainFirst,
         .section = "Context windows",
         .title = "Keep the first image in sight",
         .help = "Every window is given the first image in its first frame; image to video needs it, whose "
                 "later windows would see no image."},
    };
}

std::vector<ProjectKey> meshKeys() {
    return {
        {.name = "ici_data_parallelism",
         .member = &Project::iciDataParallelism,
         .section = "Mesh",
         .title = "Data axis",
         .help = "Devices that share out the batch; -1 takes all that are left.",
         .unit = "devices",
         .range = meshRange,
         .automatic = restWord},
        {.name = "ici_fsdp_parallelism",
         .member = &Project::iciFsdpParallelism,
         .section = "Mesh",
         .title = "FSDP axis",
         .help = "Devices that share out the weights; -1 takes all that are left.",
         .unit = "devices",
         .range = meshRange,
         .automatic = restWord},
        {.name = "ici_context_parallelism",
         .member = &Project::iciContextParallelism,
         .section = "Mesh",
         .title = "Context axis",
         .help = "Devices that share out the sequence; -1 takes all that are left.",
         .unit = "devices",
         .range = meshRange,
         .automatic = restWord},
        {.name = "ici_tensor_parallelism",
         .member = &Project::iciTensorParallelism,
         .section = "Mesh",
         .title = "Tensor axis",
         .help = "Devices that share out heads and features; -1 takes all that are left.",
         .unit = "devices",
         .range = meshRange,
         .automatic = restWord},
        {.name = "dcn_data_parallelism",
         .member = &Project::dcnDataParallelism,
         .section = "Mesh",
         .title = "Data axis between hosts",
         .help = "Hosts that share out the batch; -1 takes all that are left.",
         .unit = "hosts",
         .range = meshRange,
         .automatic = restWord},
        {.name = "dcn_fsdp_parallelism",
         .member = &Project::dcnFsdpParallelism,
         .section = "Mesh",
         .title = "FSDP axis between hosts",
         .help = "Hosts that share out the weights; -1 takes all that are left.",
         .unit = "hosts",
         .range = meshRange,
         .automatic = restWord},
        {.name = "dcn_context_parallelism",
         .member = &Project::dcnContextParallelism,
         .section = "Mesh",
         .title = "Context axis between hosts",
         .help = "Hosts that share out the sequence; -1 takes all that are left.",
         .unit = "hosts",
         .range = meshRange,
         .automatic = restWord},
        {.name = "dcn_tensor_parallelism",
         .member = &Project::dcnTensorParallelism,
         .section = "Mesh",
         .title = "Tensor axis between hosts",
         .help = "Hosts that share out heads and features; -1 takes all that are left.",
         .unit = "hosts",
         .range = meshRange,
         .automatic = restWord},
        {.name = "ulysses_shards",
         .member = &Project::ulyssesShards,
         .section = "Mesh",
         .title = "Ulysses shards",
         .help = "Part of the context axis that exchanges heads in the ulysses_ring modes; -1 is unset.",
         .unit = "devices",
         .range = meshRange,
         .automatic = automaticWord},
        {.name = "ulysses_attention_chunks",
         .member = &Project::ulyssesAttentionChunks,
         .section = "Mesh",
         .title = "Ulysses chunks",
         .help =
             "Head groups that are exchanged and computed one after another; between processes the next one "
             "travels while one is computed.",
         .range = IntegerRange{.minimum = 1, .maximum = 1024}},
        {.name = "attention_sharding_uniform",
         .member = &Project::attentionShardingUniform,
         .section = "Mesh",
         .title = "Uniform sharding",
         .help = "Makes flash and dot_product share out the sequence; false shares out the heads of "
                 "self-attention instead."},
        {.name = "devices",
         .member = &Project::devices,
         .section = "Mesh",
         .title = "Devices",
         .help = "Devices of the mesh, which the axis of -1 fills up; 0 takes one for each process that was "
                 "started, or as many as the axes ask for.",
         .unit = "devices",
         .range = IntegerRange{.minimum = 0, .maximum = maxMeshDevices},
         .automatic = automaticWord},
        {.name = "workers",
         .member = &Project::workers,
         .section = "Mesh",
         .title = "Workers",
         .help = "Threads of each device; 0 shares out every CPU of this process.",
         .unit = "threads",
         .range = IntegerRange{.minimum = 0, .maximum = 1024},
         .automatic = automaticWord},
        {.name = "gpus",
         .member = &Project::gpus,
         .section = "Mesh",
         .title = "GPU",
         .help =
             "Which GPU computes the transformer, the VAE and the encoders: its number, from 0 on, several "
             "for the devices of a mesh (0,1), none for the CPU, or auto for the best real GPU, if it counts "
             "as faster than the CPU."},
        {.name = "hosts",
         .member = &Project::hosts,
         .section = "Mesh",
         .title = "Hosts file",
         .help = "File that names the machines to start processes on, one a line; empty runs on this machine "
                 "only.",
         .automatic = "this machine"},
        {.name = "broadcast_weights",
         .member = &Project::broadcastWeights,
         .section = "Mesh",
         .title = "Send weights",
         .help = "Reads the checkpoint on the first machine only and sends it to the others."},
        {.name = "stall_timeout",
         .member = &Project::stallTimeout,
         .section = "Mesh",
         .title = "Stall timeout",
         .help = "How long a device waits for the others before the run counts as hung and ends.",
         .unit = "seconds",
         .range = IntegerRange{.minimum = 1, .maximum = 86400}},
    };
}

std::vector<ProjectKey> attentionKeys() {
    return {
        {.name = "attention",
         .member = &Project::attention,
         .section = "Attention",
         .title = "Attention",
         .help = "How attention is computed and spread over devices.",
         .choices = attentionChoices,
         .level = KeyLevel::Basic},
        {.name = "flash_min_seq_length",
         .member = &Project::flashMinSeqLength,
         .section = "Attention",
         .title = "Flash from length",
         .help = "Flash attention gives way to dot_product when a sequence is shorter than this.",
         .unit = "tokens",
         .range = IntegerRange{.minimum = 0}},
    };
}

std::vector<ProjectKey> sparseKeys() {
    return {
        {.name = "sparse_attention",
         .member = &Project::sparseAttention,
         .section = "Attention",
         .title = "Sparse attention",
         .help = "Lets self-attention leave blocks of tokens out, which saves most of the time of long "
                 "videos; approximate.",
         .choices = sparseChoices,
         .level = KeyLevel::Basic},
        {.name = "sparse_start_percent",
         .member = &Project::sparseStartPercent,
         .section = "Attention",
         .title = "Sparse from",
         .help = "Share of the steps, at their beginning, in which attention is dense.",
         .range = RealRange{.minimum = 0, .maximum = 1}},
        {.name = "sparse_end_percent",
         .member = &Project::sparseEndPercent,
         .section = "Attention",
         .title = "Sparse until",
         .help = "Share of the steps after which attention is dense again.",
         .range = RealRange{.minimum = 0, .maximum = 1}},
        {.name = "sparse_dense_layers",
         .member = &Project::sparseDenseLayers,
         .section = "Attention",
         .title = "Dense layers",
         .help = "Transformer blocks that always attend densely, counted from 0 and separated by commas.",
         .form = TextForm::Numbers},
        {.name = "sparse_min_tokens",
         .member = &Project::sparseMinTokens,
         .section = "Attention",
         .title = "Sparse from length",
         .help = "Sequences shorter than this attend densely.",
         .unit = "tokens",
         .range = IntegerRange{.minimum = 0}},
        {.name = "sparse_tau",
         .member = &Project::sparseTau,
         .section = "Attention",
         .title = "Sol threshold",
         .help = "sol keeps blocks whose score is above the mean by this many standard deviations: more "
                 "keeps fewer.",
         .range = RealRange{.minimum = 0, .maximum = 4}},
        {.name = "sparse_decay_factor",
         .member = &Project::sparseDecay,
         .section = "Attention",
         .title = "Radial decay",
         .help = "Factor of radial's windows of frames that are two or more apart: less keeps fewer tokens.",
         .range = RealRange{.minimum = 0, .maximum = 8}},
        {.name = "svg_spatial_density",
         .member = &Project::svgSpatialDensity,
         .section = "Attention",
         .title = "SVG density",
         .help = "Share of the pairs of tokens that svg's band keeps; of a model with one expert.",
         .range = RealRange{.minimum = 0.01, .maximum = 1}},
        {.name = "svg_high_noise_density",
         .member = &Project::svgHighNoiseDensity,
         .section = "Attention",
         .title = "SVG density, high noise",
         .help = "The same for the steps of Wan 2.2's high-noise expert.",
         .range = RealRange{.minimum = 0.01, .maximum = 1}},
        {.name = "svg_low_noise_density",
         .member = &Project::svgLowNoiseDensity,
         .section = "Attention",
         .title = "SVG density, low noise",
         .help = "The same for the steps of Wan 2.2's low-noise expert.",
         .range = RealRange{.minimum = 0.01, .maximum = 1}},
        {.name = "svg_profile_query_count",
         .member = &Project::svgProfileQueryCount,
         .section = "Attention",
         .title = "SVG sample",
         .help = "Queries by which svg chooses between space and time, for each head in each step.",
         .unit = "queries",
         .range = IntegerRange{.minimum = 1, .maximum = 4096}},
        {.name = "svg_sample_max_row",
         .member = &Project::svgSampleMaxRow,
         .section = "Attention",
         .title = "SVG sample from",
         .help = "The first tokens, among which svg draws its queries.",
         .unit = "tokens",
         .range = IntegerRange{.minimum = 1}},
        {.name = "svg_profile_seed",
         .member = &Project::svgProfileSeed,
         .section = "Attention",
         .title = "SVG sample's seed",
         .help = "Seed by which svg draws its queries.",
         .range = IntegerRange{.minimum = 0}},
        {.name = "svg_include_first_frame",
         .member = &Project::svgIncludeFirstFrame,
         .section = "Attention",
         .title = "SVG keeps first frame",
         .help = "Every token attends to the first tokens in svg's order, as many as a frame has."},
    };
}

std::vector<ProjectKey> blockSizeKeys() {
    std::vector<ProjectKey> keys;
    for (const BlockSizeRow& row : blockSizeRows())
        keys.push_back({.name = row.key,
                        .member = row.member,
                        .section = "Attention",
                        .title = row.title,
                        .help = row.help,
                        .unit = row.unit,
                        .range = IntegerRange{.minimum = row.minimum, .maximum = row.maximum},
                        .level = row.basic ? KeyLevel::Basic : KeyLevel::Advanced,
                        .automatic = row.automatic});
    return keys;
}

std::vector<ProjectKey> softmaxKeys() {
    return {
        {.name = "use_base2_exp",
         .member = &Project::useBase2Exp,
         .section = "Attention",
         .title = "Base-2 exponential",
         .help = "Lets the softmax use powers of 2 with rescaled scores; results agree within rounding."},
        {.name = "mask_padding_tokens",
         .member = &Project::maskPaddingTokens,
         .section = "Attention",
         .title = "Mask padding",
         .help = "Keeps the rows that fill up a block or a device's share out of attention.",
         .inactive = "padding is never attended"},
    };
}

std::vector<ProjectKey> vaeKeys() {
    return {
        {.name = "vae_decode_chunk",
         .member = &Project::vaeDecodeChunk,
         .section = "VAE",
         .title = "Decode chunk",
         .help = "Latent frames that are decoded together; -1 takes all. More memory, the same result.",
         .unit = "latent frames",
         .range = IntegerRange{.minimum = 1, .maximum = 1001, .automatic = -1},
         .automatic = "all"},
        {.name = "vae_encode_chunk",
         .member = &Project::vaeEncodeChunk,
         .section = "VAE",
         .title = "Encode chunk",
         .help =
             "Frames that are encoded together, a multiple of 4; -1 takes all. More memory, the same result.",
         .unit = "frames",
         .range = IntegerRange{.minimum = frameStep, .maximum = 4000, .step = frameStep, .automatic = -1},
         .automatic = "all"},
        {.name = "vae_spatial",
         .member = &Project::vaeSpatial,
         .section = "VAE",
         .title = "Width strips",
         .help = "Devices that share out the VAE's width; -1 takes as many as help, about 8.",
         .unit = "devices",
         .range = meshRange,
         .automatic = automaticWord},
        {.name = "replicate_vae",
         .member = &Project::replicateVae,
         .section = "VAE",
         .title = "Replicate weights",
         .help = "Gives every device the whole of the VAE's weights."},
    };
}

std::vector<ProjectKey> precisionKeys() {
    return {
        {.name = "weights_dtype",
         .member = &Project::weightsDtype,
         .section = "Precision & memory",
         .title = "Weights",
         .help = "Number type of the weights of the transformer's blocks. With bfloat16 activations, float32 "
                 "weights are rounded to bfloat16 too; int8 needs bfloat16 activations.",
         .choices = weightsDtypeChoices},
        {.name = "activations_dtype",
         .member = &Project::activationsDtype,
         .section = "Precision & memory",
         .title = "Activations",
         .help =
             "Number type that the transformer's blocks compute in. Sums, the residual stream, the time and "
             "text embeddings and the output stay float32.",
         .choices = dtypeChoices},
        {.name = "text_encoder_dtype",
         .member = &Project::textEncoderDtype,
         .section = "Precision & memory",
         .title = "Text encoder",
         .help = "Number type that the text encoder computes in.",
         .choices = dtypeChoices},
        {.name = "vae_dtype",
         .member = &Project::vaeDtype,
         .section = "Precision & memory",
         .title = "VAE",
         .help = "Number type that the VAE computes in.",
         .choices = dtypeChoices},
        {.name = "vae_weights_dtype",
         .member = &Project::vaeWeightsDtype,
         .section = "Precision & memory",
         .title = "VAE weights",
         .help = "Number type of the VAE's weights.",
         .choices = dtypeChoices},
        {.name = "scheduler_dtype",
         .member = &Project::schedulerDtype,
         .section = "Precision & memory",
         .title = "Scheduler",
         .help = "Number type that each step's prediction and the latents it leads to are rounded to.",
         .choices = dtypeChoices},
        {.name = "memory_budget",
         .member = &Project::memoryBudget,
         .section = "Precision & memory",
         .title = "Memory budget",
         .help =
             "Memory that the run may take. Layers of the transformer that it does not hold are read from "
             "the checkpoint each time they are used; 0 keeps all of them in memory.",
         .unit = "GiB",
         .range = RealRange{.minimum = 0, .maximum = 65536},
         .automatic = "all in memory"},
    };
}

std::vector<ProjectKey> outputKeys() {
    return {
        {.name = "run_name",
         .member = &Project::name,
         .section = "Output",
         .title = "Name",
         .help = "What run folders are called after; empty takes the project file's name.",
         .level = KeyLevel::Basic,
         .automatic = "the file's name"},
        {.name = "video_format",
         .member = &Project::videoFormat,
         .section = "Output",
         .title = "File format",
         .help = "How the video is written.",
         .choices = formatChoices,
         .level = KeyLevel::Basic},
        {.name = "video_quality",
         .member = &Project::videoQuality,
         .section = "Output",
         .title = "Quality",
         .help = "Compression quality of the video file: 0 is smallest, 100 best.",
         .range = IntegerRange{.minimum = minVideoQuality, .maximum = maxVideoQuality}},
        {.name = "audio",
         .member = &Project::audio,
         .section = "Output",
         .title = "Sound",
         .help =
             "keep puts the sound of speech or video (of Animate face_video or pose_video) under the result, "
             "as long as both play at one speed; none leaves it out; a file gives its own. MP4 and WebM hold "
             "sound.",
         .form = TextForm::File},
        {.name = "metadata",
         .member = &Project::metadata,
         .section = "Output",
         .title = "Metadata",
         .help = "What a video file, or the file beside it, says of how it was made.",
         .choices = metadataChoices},
        {.name = "interpolate",
         .member = &Project::interpolate,
         .section = "Output",
         .title = "Frames, times",
         .help =
             "Makes a finished video beside the video, with so many times its frames a second; any factor. "
             "1 makes no frames.",
         .range = RealRange{.minimum = 1, .maximum = mostFinishFactor}},
        {.name = "interpolator",
         .member = &Project::interpolator,
         .section = "Output",
         .title = "Frames by",
         .help = "Weights of RIFE 4.x, which makes the frames that interpolate asks for; blend mixes those "
                 "beside.",
         .form = TextForm::File},
        {.name = "upscale",
         .member = &Project::upscale,
         .section = "Output",
         .title = "Size, times",
         .help =
             "Makes a finished video beside the video, so many times as wide and high; any factor. 1 keeps "
             "the size.",
         .range = RealRange{.minimum = 1, .maximum = mostFinishFactor}},
        {.name = "upscaler",
         .member = &Project::upscaler,
         .section = "Output",
         .title = "Size by",
         .help =
             "Weights of a network of ESRGAN's kind, which upscale uses; lanczos, or nothing: a filter that "
             "adds no detail.",
         .form = TextForm::File},
    };
}

std::vector<ProjectKey> allKeys() {
    std::vector<ProjectKey> keys;
    for (const auto section : {modelKeys, taskKeys, continueKeys, promptKeys, frameKeys, samplingKeys,
                               stepCacheKeys, contextWindowKeys, meshKeys, attentionKeys, blockSizeKeys,
                               softmaxKeys, sparseKeys, vaeKeys, precisionKeys, outputKeys})
        std::ranges::move(section(), std::back_inserter(keys));
    return keys;
}

}  // namespace

std::span<const ProjectKey> projectKeys() {
    static const std::vector<ProjectKey> keys = allKeys();
    return keys;
}

const ProjectKey* findProjectKey(std::string_view name) {
    const auto keys = projectKeys();
    const auto found = std::ranges::find(keys, name, &ProjectKey::name);
    return found == keys.end() ? nullptr : &*found;
}

}  // namespace meshreel
