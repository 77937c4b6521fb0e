// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/mesh/device_mesh.h"
#include "engine/pipelines/loop_seam.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_trust.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/memory_watch.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"
#include "engine/timing/trace.h"
#include "engine/weights/cache/cache_folder.h"

namespace meshreel {

/// Whether there are events with frames (Preview, DecodedFrames) while others are still to come: computing
/// them takes time.
enum class Previews { No, Yes };

/// Takes the frames of every video of the batch (counted from 0), in order, while others are still decoded:
/// for who writes them. The frames share the memory of the result. Called by the leading process, on its
/// first device's thread: it returns soon, and what it throws ends the generation. Returns the seconds that
/// writing all frames, those still to come among them, will take from now on by what it took so far; 0 before
/// that is known.
using DecodedPart = std::function<double(std::int64_t video, const DecodedFrames& part)>;

/// Where a generation begins, and what it shows on its way.
struct GenerationStart {
    std::optional<SamplerSnapshot> resumeFrom = {};  ///< absent: from noise
    double planningSeconds = 0;                      ///< counted as part of Compile
    Previews previews = Previews::No;
    DecodedPart decoded = {};   ///< may be empty
    TrustedInputs inputs = {};  ///< asked of each input once it is open
    bool isExamined = false;    ///< the user knows what an examination finds: do not report it again
};

/// What the process held at most while a phase ran.
struct PhaseMemory {
    Phase phase = Phase::Load;
    ResidentMemory peak;
};

/// An expert that came into memory between two steps.
struct ExpertSwitch {
    int step = 0;  ///< its first, counted from 0
    int expert = 0;
    double seconds = 0;  ///< time to free the other one and to load it
};

struct GenerationResult {
    Tensor latents;  ///< [1, C, F, H, W] f32, normalised
    Tensor frames;   ///< u8 [batch, time, height, width, 3]
    TimingSummary timings;
    std::vector<StepRecord> steps;             ///< from this call only
    std::vector<ExpertSwitch> expertSwitches;  ///< from this call only
    std::vector<double> magRatios;    ///< two factors of each step, see StepPredictor; for plans that measure
    bool textEncoderSkipped = false;  ///< the embeddings of all prompts were in the cache
    /// How the first video goes on from the clip before, if it continues one.
    std::optional<ClipSeam> clipSeam = {};
    std::vector<PhaseMemory> memory;  ///< measured, in the order of the phases
};

/// What a generation runs on: this process's devices of the mesh that the plan was made for.
struct RunContext {
    DeviceMesh& mesh;
    StopToken stop;
    Trace* trace = nullptr;
    const Caches* caches = nullptr;  ///< none: everything is made anew, and nothing is kept

    /// Returns the process of the mesh's first device: it reads prompts, has the sink of events and gets the
    /// frames.
    [[nodiscard]] bool leads() const { return mesh.firstDevice() == 0; }
};

/// Returns the mesh of a plan whose devices are all of this process.
DeviceMeshOptions meshOptions(const RunPlan& plan);

/// Returns one video from a plan: load, compile, condition, denoise, decode. Every process of the mesh calls
/// it with the same plan; what others than the leading one return is empty but for its timings, and of
/// start.resumeFrom they need stepsDone only. Deterministic for a binary, ISA, mesh and worker count; a
/// generation resumed from any step's snapshot gives the same bits as one that never stopped. Throws Error:
/// Input (checkpoint), Cancelled (machine.stop), Device (another process failed), Internal (NaN or infinity,
/// naming step and block).
GenerationResult generate(const RunContext& machine, const RunPlan& plan, const GenerationStart& start,
                          const EventSink& sink);

struct DecodedLatents {
    Tensor frames;  ///< u8 [batch, time, height, width, 3]
    TimingSummary timings;
};

/// Returns the frames u8 [batch, time, height, width, 3] of normalised latents, decoded by this process
/// without the other devices of the mesh.
Tensor decodeAlone(const RunContext& machine, const RunPlan& plan, const Tensor& latents);

/// Only the last part: loads the VAE and decodes normalised latents [1, C, F, H, W].
DecodedLatents decodeOnly(const RunContext& machine, const RunPlan& plan, const Tensor& latents,
                          Previews previews, const EventSink& sink, const DecodedPart& decoded = {});

}  // namespace meshreel
