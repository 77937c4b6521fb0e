// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QList>
#include <QString>
#include <string>

#include "engine/base/paths.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Pictures to be shown one after another.
struct Clip {
    QList<QImage> frames;
    double framesPerSecond = 0;  ///< positive when there are frames
    std::string project = {};    ///< YAML of what made it; empty when not known
    std::string name = {};       ///< name of its run or file, without an extension; empty when not known

    /// Returns what files made of it are called, without an extension.
    [[nodiscard]] QString fileStem() const {
        const std::string plain = fileNameFrom(name);
        return plain.empty() ? QStringLiteral("clip") : QString::fromStdString(plain);
    }
    [[nodiscard]] bool isEmpty() const { return frames.isEmpty(); }
    [[nodiscard]] double seconds() const {
        return isEmpty() ? 0.0 : static_cast<double>(frames.size()) / framesPerSecond;
    }
};

/// Some frames of a clip of which others are still to come.
struct ClipPart {
    Clip clip;      ///< with the rate of the whole
    int first = 0;  ///< among the whole clip's frames
    int total = 0;  ///< frames of the whole clip
};

/// Returns at most `most` frames of a clip of `length`, evenly spaced, including the first and the last.
QList<int> spreadFrames(int length, int most);

/// Copies `frames`, u8 [time, height, width, 3]; of a batch [batch, time, height, width, 3] the first video.
Clip toClip(const Tensor& frames, double framesPerSecond);

/// Converts back: u8 [time, height, width, 3] from a clip with frames of one size.
Tensor framesOf(const Clip& clip);

}  // namespace meshreel
