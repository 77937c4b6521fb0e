// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "engine/estimates/prediction.h"

namespace meshreel {

struct MachineRates;
struct Prediction;
struct RunPlan;
struct TargetOutlook;

/// "42 µs", "25 ms", "0.25 s", "12 s", "8 min", "3.2 h": as exact as predictions are.
QString roughDuration(double seconds);

/// "8 min (6 to 10 min)".
QString predictedText(const PredictedSeconds& predicted);

/// "8 min in all (6 to 10 min)".
QString predictedTotalText(const PredictedSeconds& predicted);

/// Returns how a prediction knows: "from 3 runs like this on this machine".
QString predictionBasisText(const Prediction& prediction);

/// Returns what a prediction consists of and comes from, in lines.
QString predictionDetail(const Prediction& prediction, const MachineRates& rates);

/// What a stage of a run needs of this machine's memory, or of a GPU's.
struct StageNeed {
    QString stage;
    double share = 0;  ///< part of what is available; above 1 it does not fit
    QString bytes;
};

/// One thing that follows from a project, as a person reads it.
struct Consequence {
    QString title;   ///< "Tokens"
    QString value;   ///< "1,280"
    QString remark;  ///< "5 frames of 16 × 16"
    QString detail;  ///< sentences for those who ask
    bool alarming = false;
    bool isMemory = false;               ///< for this machine: whether the run fits it
    std::vector<StageNeed> stages = {};  ///< for memory
    bool isDetail = false;               ///< the remark is for those who ask, too
};

/// Tokens, work and memory of a plan, and what its mesh exchanges. Memory is that of this machine and its
/// GPU; with an outlook, that of a device of other hardware follows.
std::vector<Consequence> listConsequences(const RunPlan& plan, const TargetOutlook* outlook = nullptr);

/// Returns the seconds of a step and in all.
Consequence timeConsequence(const Prediction& prediction, const MachineRates& rates);
/// Returns the consequence on other hardware, called "Predicting for 8 × TPU v7x", with what costs most there
/// and the fastest mesh.
Consequence foreseenConsequence(const TargetOutlook& outlook);
/// Returns whether nothing predicts the time of such a run, however often this machine is measured: it runs
/// on several machines.
bool isBeyondPrediction(const RunPlan& plan);
/// Returns what stands for the time of such a run.
Consequence unknownTime();

/// "12.3 GFLOP": three digits and the prefix.
QString flopText(double operations);

}  // namespace meshreel
