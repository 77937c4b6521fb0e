// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/mixed_color.h"

namespace meshreel {

QColor mixedColor(const QColor& from, const QColor& to, double share) {
    const auto part = static_cast<float>(share);
    const auto mixed = [part](float one, float other) { return one + (other - one) * part; };
    return QColor::fromRgbF(mixed(from.redF(), to.redF()), mixed(from.greenF(), to.greenF()),
                            mixed(from.blueF(), to.blueF()));
}

}  // namespace meshreel
