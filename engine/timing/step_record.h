// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/record.h"

namespace meshreel {

/// What a denoising step computed of its prediction; the rest was taken over from an earlier one.
enum class StepWork : std::uint8_t {
    Everything,
    PromptOnly,  ///< not the negative prompt's half
    FirstBlock,  ///< only the first of the transformer's blocks ran
    NoBlocks,    ///< embeddings and output projection only
    Nothing,
};

template <>
struct EnumNames<StepWork> {
    static constexpr std::array<std::string_view, 5> names{"full", "prompt", "first_block", "no_blocks",
                                                           "none"};
};

/// How one device of a mesh spent its time, in seconds.
struct DeviceTime {
    double computing = 0;
    double exchanging = 0;           ///< moved bytes between devices with its own workers
    double waiting = 0;              ///< stood still until others were ready, or had moved its bytes
    std::int64_t bytesReceived = 0;  ///< from other devices
    /// Seconds that its GPU worked, by the GPU's own clock; nothing without a GPU, or when it has no clock.
    std::optional<double> gpu = {};

    [[nodiscard]] double seconds() const { return computing + exchanging + waiting; }
    /// Returns the part of `computing` in which numbers were computed: for a GPU, without the time in which
    /// it was idle.
    [[nodiscard]] double busy() const { return gpu ? std::min(*gpu, computing) : computing; }
    /// Returns the rest of `computing`: a GPU stood still, as the CPU prepared its work or took its results.
    [[nodiscard]] double hostOnly() const { return computing - busy(); }

    DeviceTime& operator+=(const DeviceTime& other) {
        computing += other.computing;
        exchanging += other.exchanging;
        waiting += other.waiting;
        bytesReceived += other.bytesReceived;
        if (other.gpu)
            gpu = gpu.value_or(0) + *other.gpu;
        return *this;
    }

    static constexpr auto fields() {
        return std::tuple(field("computing", &DeviceTime::computing),
                          field("exchanging", &DeviceTime::exchanging),
                          field("waiting", &DeviceTime::waiting),
                          field("received", &DeviceTime::bytesReceived), laterField("gpu", &DeviceTime::gpu));
    }

    friend bool operator==(const DeviceTime&, const DeviceTime&) = default;
};

/// How all devices of the mesh spent one denoising step: an event of a run, and rows of devices.csv.
struct StepDeviceTimes {
    int step = 0;                     ///< counted from 0
    std::vector<DeviceTime> devices;  ///< in device order

    static constexpr std::string_view event = "devices";
    static constexpr auto fields() {
        return std::tuple(field("step", &StepDeviceTimes::step), field("devices", &StepDeviceTimes::devices));
    }

    friend bool operator==(const StepDeviceTimes&, const StepDeviceTimes&) = default;
};

/// One finished denoising step: an event of a run, and a row of steps.csv.
struct StepRecord {
    int step = 0;         ///< counted from 0
    double timestep = 0;  ///< what the transformer was given, in [0, 1000]
    double sigma = 0;     ///< noise level at the start of the step
    double seconds = 0;   ///< wall clock, both guidance branches and the scheduler included
    double latentMin = 0, latentMax = 0, latentMean = 0;  ///< of the latents after the step
    int expert = 1;  ///< 1: `transformer`, of two experts the one for high noise; 2: `transformer_2`
    StepWork work = StepWork::Everything;

    static constexpr std::string_view event = "step";
    static constexpr auto fields() {
        return std::tuple(field("step", &StepRecord::step), field("timestep", &StepRecord::timestep),
                          field("sigma", &StepRecord::sigma), field("seconds", &StepRecord::seconds),
                          field("min", &StepRecord::latentMin), field("max", &StepRecord::latentMax),
                          field("mean", &StepRecord::latentMean), laterField("expert", &StepRecord::expert),
                          laterField("work", &StepRecord::work));
    }

    friend bool operator==(const StepRecord&, const StepRecord&) = default;
};

/// Returns one line without a newline; every number reads back exactly.
std::string stepCsvRow(const StepRecord& record);

/// Parses a row of stepCsvRow(); a row without the expert, as earlier versions wrote, is of the first, and
/// one without the work was computed in full. Throws Error{Input} quoting the line when it is not such a row.
StepRecord parseStepCsvRow(std::string_view line);

/// Returns a whole file: the header "step,timestep,sigma,seconds,min,max,mean,expert,work" and rows, each
/// ended by a newline.
std::string stepCsv(const std::vector<StepRecord>& records);

/// Inverse of stepCsv. A last line without its newline (a write cut short) is left out. Throws Error{Input}.
std::vector<StepRecord> parseStepCsv(std::string_view text);

/// Formats for people: mean, least and most, then the seconds of every step, ten to a line. Empty without
/// records.
std::string formatStepSeconds(const std::vector<StepRecord>& records);

}  // namespace meshreel
