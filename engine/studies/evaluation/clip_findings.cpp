// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/clip_findings.h"

#include "engine/studies/evaluation/colour_measure.h"
#include "engine/studies/evaluation/edge_measure.h"
#include "engine/studies/evaluation/flicker_measure.h"
#include "engine/studies/evaluation/motion_measure.h"
#include "engine/studies/evaluation/shape_measure.h"

namespace meshreel {

ClipFindings findingsOf(const Tensor& frames) {
    const ClipPixels clip(frames);
    const PlainBackground background(clip);
    const Subject subject(clip, background);
    ClipFindings findings;
    findings.background = background.name();
    findings.flicker = backgroundFlicker(clip, subject);
    findings.present = subject.present();
    if (!findings.present)
        return findings;
    findings.colour = colourOf(clip, subject);
    findings.shape = shapeOf(clip, subject);
    findings.motion = motionOf(clip, subject);
    findings.edgeWidth = edgeWidth(clip, subject);
    return findings;
}

}  // namespace meshreel
