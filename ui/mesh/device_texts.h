// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "ui/mesh/mesh_picture.h"

namespace meshreel {

/// What a device holds, whom it exchanges with, and how much: sentences for people.
QString deviceText(const MeshPicture& picture, int device);

/// The mesh in one sentence.
QString meshSentence(const MeshPicture& picture);

}  // namespace meshreel
