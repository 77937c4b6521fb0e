// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/device_times.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "engine/base/csv.h"

namespace meshreel {
namespace {

/// A row of devices.csv: these, then the fields of DeviceTime.
constexpr std::array<std::string_view, 2> rowColumns{"step", "device"};
enum RowColumn : std::size_t { StepColumn, DeviceColumn };

/// Adds a row to the step that it belongs to.
void addRow(std::vector<StepDeviceTimes>& steps, const CsvReader& row) {
    const auto step = row.number<int>(StepColumn);
    if (steps.empty() || steps.back().step != step)
        steps.push_back({.step = step, .devices = {}});
    std::vector<DeviceTime>& devices = steps.back().devices;
    if (row.number<std::size_t>(DeviceColumn) != devices.size())
        row.fail(sentence("The devices of step {} are not in their order", step));
    devices.push_back(takeRow<DeviceTime>(row, rowColumns.size()));
}

}  // namespace

DataTable deviceTimeTable(std::span<const StepDeviceTimes> steps, int firstStep) {
    auto table = recordTable<DeviceTime>();
    table.columns.insert(table.columns.begin(), rowColumns.begin(), rowColumns.end());
    for (const StepDeviceTimes& step : steps)
        for (std::int64_t device = 0; const DeviceTime& time : step.devices) {
            std::vector<DataCell>& row =
                table.rows.emplace_back(std::vector<DataCell>{std::int64_t{firstStep + step.step}, device++});
            std::ranges::move(cells(time), std::back_inserter(row));
        }
    return table;
}

std::vector<StepDeviceTimes> parseDeviceTimes(std::string_view csv) {
    const std::string header = toCsv(deviceTimeTable({}));
    if (std::string_view(header).starts_with(csv))
        return {};  // a write of the header was cut short
    CsvReader table(
        csv.substr(0, csv.rfind('\n') + 1), "devices.csv",
        sentence("The file was changed by another program; restore it from a copy, or remove it: the "
                 "run needs it for its lanes only"));
    if (!table.beginsWith(rowColumns) || !hasColumns<DeviceTime>(table, rowColumns.size()))
        table.fail(sentence("This is not a table of device times"));
    std::vector<StepDeviceTimes> steps;
    while (table.next())
        addRow(steps, table);
    if (steps.size() > 1 && steps.back().devices.size() < steps.front().devices.size())
        steps.pop_back();
    return steps;
}

namespace {

bool isStep(const TracedSpan& span) {
    return span.category == "step";
}

bool isOfAttention(const TracedSpan& span) {
    return span.category == "attention";
}

bool isAttention(const TracedSpan& span) {
    return isOfAttention(span) && span.name == "attend";
}

/// Adds stretches of time to the bins that they cover.
class Bins {
  public:
    /// They rise: where bins begin, and where the last one ends.
    explicit Bins(std::span<const double> borders) : m_borders(borders) {}

    /// `part` of the device during the stretch, 0 to 1.
    void add(double start, double end, double part, std::vector<double>& share) const {
        const auto behind = std::ranges::upper_bound(m_borders, start);
        auto bin = static_cast<std::size_t>(
            std::max<std::ptrdiff_t>(0, std::distance(m_borders.begin(), behind) - 1));
        for (; bin < share.size() && m_borders[bin] < end; ++bin) {
            const double length = m_borders[bin + 1] - m_borders[bin];
            const double covered = std::min(end, m_borders[bin + 1]) - std::max(start, m_borders[bin]);
            share[bin] += part * std::max(0.0, covered) / length;
        }
    }

    void add(const TracedSpan& span, double begin, std::vector<double>& share) const {
        add(span.start - begin, span.end() - begin, 1, share);
    }

  private:
    std::span<const double> m_borders;
};

std::vector<double> equalBorders(const OccupancyPart& part, std::size_t bins) {
    std::vector<double> borders(bins + 1);
    for (std::size_t bin = 0; bin <= bins; ++bin)
        borders[bin] =
            part.from + (part.to - part.from) * static_cast<double>(bin) / static_cast<double>(bins);
    return borders;
}

struct CountedActivity {
    LaneActivity activity;
    double (*seconds)(const DeviceTime& time);
};

constexpr std::array everyCounted{
    CountedActivity{LaneActivity::Computing, [](const DeviceTime& time) { return time.busy(); }},
    CountedActivity{LaneActivity::HostOnly, [](const DeviceTime& time) { return time.hostOnly(); }},
    CountedActivity{LaneActivity::Exchanging, [](const DeviceTime& time) { return time.exchanging; }},
    CountedActivity{LaneActivity::Waiting, [](const DeviceTime& time) { return time.waiting; }}};

/// In a run without GPUs, the CPU is the device.
std::vector<CountedActivity> countedIn(std::span<const StepDeviceTimes> steps) {
    std::vector<CountedActivity> counted(everyCounted.begin(), everyCounted.end());
    if (!haveGpus(steps))
        std::erase_if(counted,
                      [](const CountedActivity& each) { return each.activity == LaneActivity::HostOnly; });
    return counted;
}

/// Seconds of the device that took longest.
double secondsOf(const StepDeviceTimes& step) {
    double seconds = 0;
    for (const DeviceTime& device : step.devices)
        seconds = std::max(seconds, device.seconds());
    return seconds;
}

/// The ends of the part and the borders of steps between them.
std::vector<double> stepBorders(std::span<const StepDeviceTimes> steps, const OccupancyPart& part) {
    std::vector<double> borders{part.from};
    double end = 0;
    for (const StepDeviceTimes& step : steps) {
        end += secondsOf(step);
        if (end > borders.back() && end < part.to)
            borders.push_back(end);
    }
    borders.push_back(part.to);
    return borders;
}

enum TracedShare : std::size_t { Attention, Elsewhere, MovingOrWaiting };

// What is neither attention nor its exchange; the rounding of the sums must not show as a negative share.
void subtractAttention(Lane& lane) {
    std::vector<double>& elsewhere = lane.share[Elsewhere];
    for (std::size_t bin = 0; bin < elsewhere.size(); ++bin)
        elsewhere[bin] =
            std::max(0.0, elsewhere[bin] - lane.share[Attention][bin] - lane.share[MovingOrWaiting][bin]);
}

}  // namespace

bool haveGpus(std::span<const StepDeviceTimes> steps) {
    return std::ranges::any_of(steps, [](const StepDeviceTimes& step) {
        return std::ranges::any_of(step.devices,
                                   [](const DeviceTime& device) { return device.gpu.has_value(); });
    });
}

LaneOccupancy laneOccupancy(std::span<const StepDeviceTimes> steps, std::size_t bins,
                            const std::optional<OccupancyPart>& part) {
    LaneOccupancy occupancy;
    std::size_t devices = 0;
    for (const StepDeviceTimes& step : steps) {
        occupancy.seconds += secondsOf(step);
        devices = std::max(devices, step.devices.size());
    }
    if (occupancy.seconds <= 0)
        return {};
    const std::vector<CountedActivity> counted = countedIn(steps);
    for (const CountedActivity& row : counted)
        occupancy.activities.push_back(row.activity);
    const OccupancyPart shown = part.value_or(OccupancyPart{0, occupancy.seconds});
    occupancy.borders = stepBorders(steps, shown);
    if (occupancy.borders.size() > bins + 1)
        occupancy.borders = equalBorders(shown, bins);
    const std::vector<double> none(occupancy.borders.size() - 1);
    for (std::size_t device = 0; device < devices; ++device)
        occupancy.lanes.push_back(
            {.number = static_cast<int>(device), .share = std::vector(counted.size(), none)});

    const Bins axis(occupancy.borders);
    double start = 0;
    for (const StepDeviceTimes& step : steps) {
        const double seconds = secondsOf(step);
        if (seconds <= 0)
            continue;
        for (std::size_t device = 0; device < step.devices.size(); ++device)
            for (std::size_t index = 0; index < counted.size(); ++index)
                axis.add(start, start + seconds, counted[index].seconds(step.devices[device]) / seconds,
                         occupancy.lanes[device].share[index]);
        start += seconds;
    }
    return occupancy;
}

LaneOccupancy tracedOccupancy(std::span<const TracedSpan> trace, std::size_t bins,
                              const std::optional<OccupancyPart>& part) {
    const auto first = std::ranges::find_if(trace, isStep);
    if (first == trace.end())
        return {};
    double start = first->start;
    double end = first->end();
    std::map<int, Lane> lanes;
    for (const TracedSpan& span : trace)
        if (isStep(span)) {
            start = std::min(start, span.start);
            end = std::max(end, span.end());
            lanes[span.thread].number = span.thread;
        }
    if (end <= start)
        return {};
    LaneOccupancy occupancy{
        .activities = {LaneActivity::Attention, LaneActivity::Elsewhere, LaneActivity::MovingOrWaiting},
        .seconds = end - start,
        .borders = {},
        .lanes = {}};
    occupancy.borders = equalBorders(part.value_or(OccupancyPart{0, occupancy.seconds}), bins);
    for (auto& [thread, lane] : lanes)
        lane.share.assign(occupancy.activities.size(), std::vector<double>(bins));

    const Bins axis(occupancy.borders);
    for (const TracedSpan& span : trace) {
        const auto lane = lanes.find(span.thread);
        if (lane == lanes.end())
            continue;
        if (isStep(span))
            axis.add(span, start, lane->second.share[Elsewhere]);
        else if (isAttention(span))
            axis.add(span, start, lane->second.share[Attention]);
        else if (isOfAttention(span))
            axis.add(span, start, lane->second.share[MovingOrWaiting]);
    }
    for (auto& [thread, lane] : lanes) {
        subtractAttention(lane);
        occupancy.lanes.push_back(std::move(lane));
    }
    return occupancy;
}

}  // namespace meshreel
