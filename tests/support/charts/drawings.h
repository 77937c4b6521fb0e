// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QPointF>
#include <filesystem>
#include <vector>

class QColor;
class QImage;

namespace meshreel::testing {

QByteArray contentOf(const std::filesystem::path& path);

/// Of the shapes of a drawing that Qt wrote, in the units of its view box.
std::vector<QPointF> cornersOf(const QByteArray& svg);

/// How many pixels are of about this colour.
int countPixels(const QImage& image, const QColor& wanted);

}  // namespace meshreel::testing
