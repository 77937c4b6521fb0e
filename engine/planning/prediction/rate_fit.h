// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/planning/prediction/machine_rates.h"

namespace meshreel {

/// Seconds per unit with which the samples are predicted best: the sum of squares of
/// predicted / measured − 1 is least. What samples say little about leans to the typical proportions of the
/// classes. Classes that no sample has get 0.
std::array<double, workClasses> fitSeconds(const std::vector<RateSample>& samples);

/// Rates of a machine from what was timed on it. Samples on one device with a worker on every CPU give the
/// rates of all but the classes Exchange and Messages; those, and the slow-downs, follow from the other
/// arrangements. `spread` is what four of five samples come out within, widened by the degrees of
/// freedom that the fit has, and, which no fit sees, by how much whole rounds differ. Throws Error{Internal}
/// without samples of all CPUs.
MachineRates fitRates(const MachineIdentity& machine, std::vector<RateSample> samples);

/// |ln(one more round / the median of those taken)| that it stays under in four of five cases: a round is as
/// slow as its median sample, and normally distributed. 0 of less than two rounds.
double roundSpread(const std::vector<RateSample>& samples);

/// The 90 % quantile of Student's distribution, which four of five values of either sign stay under; from two
/// degrees of freedom on within 2 % (Abramowitz and Stegun 26.7.5).
double studentQuantile(double freedom);

/// The value that `share` of the values (0 to 1) do not exceed; 0 of none.
double quantile(std::vector<double> values, double share);

}  // namespace meshreel
