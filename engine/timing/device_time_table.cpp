// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/device_time_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 6> deviceColumns{"step",       "device",  "computing",
                                                        "exchanging", "waiting", "received"};
enum Column : std::size_t { Step, Device, Computing, Exchanging, Waiting, Received };

[[noreturn]] void throwNoDeviceTable(Sentence problem) {
    throw Error(
        ErrorKind::Input, std::move(problem), "devices.csv",
        sentence(
            "The file was changed by another program; restore it from a copy, or remove it: the run needs "
            "it for its lanes only"));
}

template <typename Number>
Number readDeviceNumber(const std::string& field) {
    Number value{};
    const char* const last = field.data() + field.size();
    const auto [end, error] = std::from_chars(field.data(), last, value);
    if (error != std::errc() || end != last)
        throwNoDeviceTable(sentence("\"{}\" is no number in a table of device times", field));
    return value;
}

/// Adds a row to the step that it belongs to.
void addRow(std::vector<StepDeviceTimes>& steps, const std::vector<std::string>& row) {
    if (row.size() != deviceColumns.size())
        throwNoDeviceTable(sentence("A table of device times has six columns"));
    const int step = readDeviceNumber<int>(row[Step]);
    if (steps.empty() || steps.back().step != step)
        steps.push_back({.step = step, .devices = {}});
    std::vector<DeviceTime>& devices = steps.back().devices;
    if (readDeviceNumber<std::size_t>(row[Device]) != devices.size())
        throwNoDeviceTable(sentence("The devices of step {} are not in their order", row[Step]));
    devices.push_back({.computing = readDeviceNumber<double>(row[Computing]),
                       .exchanging = readDeviceNumber<double>(row[Exchanging]),
                       .waiting = readDeviceNumber<double>(row[Waiting]),
                       .bytesReceived = readDeviceNumber<std::int64_t>(row[Received])});
}

}  // namespace

DataTable deviceTimeTable(std::span<const StepDeviceTimes> steps, int firstStep) {
    DataTable table{.columns = {deviceColumns.begin(), deviceColumns.end()}, .rows = {}};
    for (const StepDeviceTimes& step : steps)
        for (std::int64_t device = 0; const DeviceTime& time : step.devices)
            table.rows.push_back({std::int64_t{firstStep + step.step}, device++, time.computing,
                                  time.exchanging, time.waiting, time.bytesReceived});
    return table;
}

std::vector<StepDeviceTimes> parseDeviceTimes(std::string_view csv) {
    const std::vector<std::vector<std::string>> rows = parseCsv(csv);
    if (rows.empty() || !std::ranges::equal(rows.front(), deviceColumns))
        throwNoDeviceTable(sentence("This is no table of device times"));
    std::vector<StepDeviceTimes> steps;
    for (const std::vector<std::string>& row : std::span(rows).subspan(1))
        addRow(steps, row);
    return steps;
}

}  // namespace meshreel
