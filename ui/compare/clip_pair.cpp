// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/clip_pair.h"

#include <QCoreApplication>
#include <QLocale>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/media/video_reader.h"
#include "engine/runs/run_folder.h"
#include "ui/controller/clip_conversion.h"

namespace meshreel {

namespace {

struct ClipPairs {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ClipPairs)
};

struct RunVideo {
    Tensor frames;
    double framesPerSecond = 0;
};

RunVideo videoOf(const std::filesystem::path& folder) {
    const RunFolder run = RunFolder::open(folder);
    const auto video = run.video();
    if (!video)
        throw Error(ErrorKind::Input, ClipPairs::tr("This run has no video").toStdString(), withTilde(folder),
                    ClipPairs::tr("Resume it, or choose another one").toStdString());
    return {readVideo(*video), run.project().fps};
}

}  // namespace

ClipPair readClipPair(const std::filesystem::path& firstRun, const std::filesystem::path& secondRun,
                      const StopToken& stop) {
    const RunVideo first = videoOf(firstRun);
    throwIfStopped(stop);
    const RunVideo second = videoOf(secondRun);
    ClipPair pair{.first = clipOf(first.frames, first.framesPerSecond),
                  .second = clipOf(second.frames, second.framesPerSecond),
                  .difference = {}};
    if (pair.first.frames.first().size() != pair.second.frames.first().size())
        return pair;
    pair.likeness = compareFrames(first.frames, second.frames, stop);
    pair.difference =
        clipOf(frameDifferences(first.frames, second.frames, differenceGain), first.framesPerSecond);
    return pair;
}

QString pairingText(const ClipPair& pair) {
    const QLocale locale;
    QStringList sentences;
    if (!pair.isOneLength())
        sentences += ClipPairs::tr("The videos have %1 and %2 frames: the first %3 are compared.")
                         .arg(pair.first.frames.size())
                         .arg(pair.second.frames.size())
                         .arg(pair.commonFrames());
    if (pair.first.framesPerSecond != pair.second.framesPerSecond)
        sentences +=
            ClipPairs::tr("They have %1 and %2 frames per second: both are played at %1, frame beside frame.")
                .arg(locale.toString(pair.first.framesPerSecond),
                     locale.toString(pair.second.framesPerSecond));
    return sentences.join(QLatin1Char(' '));
}

QString likenessText(const FrameDistance& likeness) {
    const QLocale locale;
    if (std::isinf(likeness.psnr))
        return ClipPairs::tr("equal");
    return ClipPairs::tr("PSNR %1 dB, SSIM %2")
        .arg(locale.toString(likeness.psnr, 'f', 1), locale.toString(likeness.ssim, 'f', 3));
}

}  // namespace meshreel
