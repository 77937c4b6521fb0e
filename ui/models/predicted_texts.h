// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "engine/planning/prediction.h"

namespace meshreel {

/// "0.25 s", "12 s", "8 min", "3.2 h": as exact as predictions are.
QString roughDuration(double seconds);

/// "8 min (6 to 10 min)".
QString predictedText(const PredictedSeconds& predicted);

/// "8 min in all (6 to 10 min)".
QString predictedTotalText(const PredictedSeconds& predicted);

/// What a prediction consists of and comes from, in lines.
QString predictionDetail(const Prediction& prediction, const MachineRates& rates);

}  // namespace meshreel
