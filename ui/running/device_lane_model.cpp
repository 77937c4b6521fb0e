// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/device_lane_model.h"

#include <QLocale>
#include <QPixmap>
#include <algorithm>
#include <utility>

#include "engine/base/units.h"
#include "ui/charts/chart_style.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

void addTo(std::vector<DeviceTime>& sums, const std::vector<DeviceTime>& devices) {
    for (std::size_t device = 0; device < sums.size(); ++device)
        sums[device] += devices[device];
}

}  // namespace

void LaneHistory::clear() {
    *this = {};
}

void LaneHistory::add(const StepDeviceTimes& step) {
    if (step.devices.empty())
        return;
    if (step.devices.size() != m_totals.size()) {
        clear();
        m_totals.resize(step.devices.size());
    }
    addTo(m_totals, step.devices);
    ++m_steps;
    const double seconds = std::ranges::max_element(step.devices, {}, &DeviceTime::seconds)->seconds();
    m_stretches.push_back({.firstStep = step.step,
                           .steps = 1,
                           .start = this->seconds(),
                           .seconds = seconds,
                           .devices = step.devices});
    if (m_stretches.size() > mostStretches)
        joinNeighbours();
}

double LaneHistory::seconds() const {
    return m_stretches.empty() ? 0 : m_stretches.back().start + m_stretches.back().seconds;
}

const LaneStretch* LaneHistory::stretchAt(double seconds) const {
    const auto after = std::ranges::upper_bound(m_stretches, seconds, {}, &LaneStretch::start);
    if (after == m_stretches.begin() || seconds >= this->seconds())
        return nullptr;
    return &*std::prev(after);
}

void LaneHistory::joinNeighbours() {
    std::vector<LaneStretch> joined;
    joined.reserve(mostStretches);
    for (std::size_t i = 0; i < m_stretches.size(); i += 2) {
        LaneStretch& stretch = joined.emplace_back(std::move(m_stretches[i]));
        if (i + 1 == m_stretches.size())
            break;
        const LaneStretch& next = m_stretches[i + 1];
        stretch.steps += next.steps;
        stretch.seconds += next.seconds;
        addTo(stretch.devices, next.devices);
    }
    m_stretches = std::move(joined);
}

namespace {

constexpr int swatchSize = 10;

/// Null for columns of something else.
const LaneActivityColumn* findActivity(int column) {
    const auto& all = DeviceLaneModel::activities();
    const auto* found = std::ranges::find(all, column, &LaneActivityColumn::column);
    return found == all.end() ? nullptr : found;
}

QPixmap swatch(int color) {
    QPixmap pixmap(swatchSize, swatchSize);
    pixmap.fill(ChartStyle::series(color));
    return pixmap;
}

QString shareText(double part, double whole) {
    const double share = whole > 0 ? part / whole * percent : 0;
    return DeviceLaneModel::tr("%1 %", "percentage").arg(QLocale().toString(share, 'f', share < 10 ? 1 : 0));
}

QString bytesText(std::int64_t bytes) {
    return QLocale().formattedDataSize(bytes, 1);
}

}  // namespace

const std::array<LaneActivityColumn, 4>& DeviceLaneModel::activities() {
    static constexpr std::array<LaneActivityColumn, 4> all{{
        {[](const DeviceTime& time) { return time.busy(); }, Computing, QT_TR_NOOP("Computing"), 0},
        {[](const DeviceTime& time) { return time.hostOnly(); }, HostOnly, QT_TR_NOOP("GPU idle"), 5},
        {[](const DeviceTime& time) { return time.exchanging; }, Exchanging, QT_TR_NOOP("Exchange"), 1},
        {[](const DeviceTime& time) { return time.waiting; }, Waiting, QT_TR_NOOP("Waiting"), 6},
    }};
    return all;
}

void DeviceLaneModel::clear() {
    beginResetModel();
    m_history.clear();
    m_steps.clear();
    m_stepsLeft = 0;
    endResetModel();
}

void DeviceLaneModel::add(const std::vector<StepDeviceTimes>& steps) {
    const bool otherDevices = std::ranges::any_of(steps, [this](const StepDeviceTimes& step) {
        return static_cast<int>(step.devices.size()) != rowCount();
    });
    if (otherDevices)
        beginResetModel();
    for (const StepDeviceTimes& step : steps) {
        if (!m_steps.empty() && m_steps.back().devices.size() != step.devices.size())
            m_steps.clear();
        m_steps.push_back(step);
        m_history.add(step);
    }
    if (otherDevices)
        endResetModel();
    else if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void DeviceLaneModel::setStepsLeft(int steps) {
    if (steps == m_stepsLeft)
        return;
    m_stepsLeft = steps;
    if (rowCount() > 0)
        emit dataChanged(index(0, Lane), index(rowCount() - 1, Lane));
}

double DeviceLaneModel::expectedSeconds() const {
    const int steps = m_history.steps();
    return steps == 0 ? 0 : m_history.seconds() * static_cast<double>(steps + m_stepsLeft) / steps;
}

bool DeviceLaneModel::hasGpus() const {
    return std::ranges::any_of(m_history.totals(),
                               [](const DeviceTime& device) { return device.gpu.has_value(); });
}

QString DeviceLaneModel::secondsText(const DeviceTime& time) const {
    if (time.gpu)
        return tr("%1 computing, %2 GPU idle, %3 exchange, %4 waiting; %5 received", "durations and bytes")
            .arg(durationText(time.busy()), durationText(time.hostOnly()), durationText(time.exchanging),
                 durationText(time.waiting), bytesText(time.bytesReceived));
    return tr("%1 computing, %2 exchange, %3 waiting; %4 received", "durations and bytes")
        .arg(durationText(time.computing), durationText(time.exchanging), durationText(time.waiting),
             bytesText(time.bytesReceived));
}

QString DeviceLaneModel::stretchText(const LaneStretch& stretch, int device) const {
    const QString words = secondsText(stretch.devices[static_cast<std::size_t>(device)]);
    return stretch.steps == 1 ? tr("Step %1: %2", "number, durations").arg(stretch.firstStep + 1).arg(words)
                              : tr("Steps %1 to %2: %3", "numbers, durations")
                                    .arg(stretch.firstStep + 1)
                                    .arg(stretch.firstStep + stretch.steps)
                                    .arg(words);
}

QString DeviceLaneModel::sentence() const {
    const std::vector<DeviceTime>& totals = m_history.totals();
    if (totals.empty())
        return {};
    DeviceTime all;
    for (const DeviceTime& device : totals)
        all += device;
    if (totals.size() == 1)
        return tr("%n steps: the GPU computes %1 of the time and stands still for %2, while the CPU prepares "
                  "its work or takes its results.",
                  nullptr, m_history.steps())
            .arg(shareText(all.busy(), all.seconds()), shareText(all.hostOnly(), all.seconds()));
    const auto most = std::ranges::max_element(totals, {}, &DeviceTime::waiting);
    if (hasGpus())
        return tr("%n steps: the GPUs compute %1 of the time, stand still for %2 beside the CPU, exchange %3 "
                  "and wait %4; device %5 waits most, %6.",
                  nullptr, m_history.steps())
            .arg(shareText(all.busy(), all.seconds()), shareText(all.hostOnly(), all.seconds()),
                 shareText(all.exchanging, all.seconds()), shareText(all.waiting, all.seconds()))
            .arg(most - totals.begin())
            .arg(shareText(most->waiting, most->seconds()));
    return tr("%n steps: the devices compute %1 of the time, exchange %2 and wait %3; device %4 waits "
              "most, %5.",
              nullptr, m_history.steps())
        .arg(shareText(all.computing, all.seconds()), shareText(all.exchanging, all.seconds()),
             shareText(all.waiting, all.seconds()))
        .arg(most - totals.begin())
        .arg(shareText(most->waiting, most->seconds()));
}

int DeviceLaneModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_history.totals().size());
}

int DeviceLaneModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString DeviceLaneModel::text(const DeviceTime& total, int row, int column) const {
    if (column == Device)
        return total.gpu ? tr("%1 · GPU", "number of a device").arg(row) : QLocale().toString(row);
    if (column == Received)
        return bytesText(total.bytesReceived);
    if (const LaneActivityColumn* activity = findActivity(column))
        return shareText(activity->seconds(total), total.seconds());
    return {};
}

QVariant DeviceLaneModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const DeviceTime& total = m_history.totals()[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return text(total, index.row(), index.column());
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            return index.column() == Lane
                       ? tr("Device %1: %2", "number, durations").arg(index.row()).arg(secondsText(total))
                       : QVariant();
        case Qt::TextAlignmentRole:
            return index.column() > Lane ? QVariant(Qt::AlignTrailing | Qt::AlignVCenter) : QVariant();
        default:
            return {};
    }
}

QVariant DeviceLaneModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    const LaneActivityColumn* activity = findActivity(section);
    if (role == Qt::DecorationRole && activity != nullptr)
        return swatch(activity->color);
    if (role == Qt::ToolTipRole && section == HostOnly)
        return tr("The GPU stands still, while the CPU prepares its work or takes its results");
    if (role == Qt::ToolTipRole && section == Exchanging)
        return tr("Moving bytes between devices with the device's own workers");
    if (role == Qt::ToolTipRole && section == Waiting)
        return tr("Standing still until other devices, or the network, are ready");
    if (role != Qt::DisplayRole)
        return {};
    if (activity != nullptr)
        return tr(activity->title);
    switch (section) {
        case Device:
            return tr("Device");
        case Lane:
            return tr("Steps", "title of lanes over time");
        default:
            return tr("Received");
    }
}

}  // namespace meshreel

#include "moc_device_lane_model.cpp"
