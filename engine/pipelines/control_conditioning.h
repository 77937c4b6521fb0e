// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/estimates/video_shape.h"
#include "engine/pipelines/given_frames.h"
#include "engine/pipelines/visual_conditioning.h"

namespace meshreel {

/// How a family of Fun Control is told which first frames are given.
struct ControlWay {
    bool marks = false;           ///< by a mask: marksFirstFrames()
    bool tokenTimesteps = false;  ///< by their latents in every step, too, whose tokens have timestep 0
};

/// Returns the conditioning of Fun Control, as in the pipelines wan_fun_control and wan2_2_fun_control of
/// VideoX-Fun (804a4258): beside the latents that are denoised those of the control video, and those of the
/// first frames that `image` gives, or zeros without any; with a mask the latents are of a video that has
/// grey behind the frames. `groups` are the plan's: a reference picture, or zeros without one.
VisualConditioning conditionOnControl(const VisualInputs& inputs, const VideoGeometry& geometry,
                                      const EncodeVideo& encode, const ControlWay& way,
                                      std::span<const GroupShape> groups);

}  // namespace meshreel
