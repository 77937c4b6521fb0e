// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/trace_model.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/sentence.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

struct TraceTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::TraceTexts)
};

constexpr const char* stepCategory = "step";

/// Translates the names that the engine gives to rows.
QString laneName(const std::map<int, std::string>& rows, int thread) {
    const auto found = rows.find(thread);
    const QString name =
        found == rows.end() ? QStringLiteral("thread %1").arg(thread) : QString::fromStdString(found->second);
    const QString number = name.section(QLatin1Char(' '), -1);
    if (name.startsWith(QLatin1String("device ")))
        return TraceTexts::tr("Device %1").arg(number);
    if (name.startsWith(QLatin1String("thread ")))
        return TraceTexts::tr("Thread %1").arg(number);
    return name;
}

/// Numbers each name once.
class NameList {
  public:
    std::uint32_t numberOf(const std::string& name) {
        const auto next = static_cast<std::uint32_t>(m_names.size());
        const auto [place, isNew] = m_numbers.emplace(name, next);
        if (isNew)
            m_names.push_back(QString::fromStdString(name));
        return place->second;
    }
    std::vector<QString> take() { return std::move(m_names); }

  private:
    std::map<std::string, std::uint32_t> m_numbers;
    std::vector<QString> m_names;
};

/// Longer ones first where several begin together: they hold the others.
bool comesBefore(const TracedSpan* one, const TracedSpan* other) {
    return one->start != other->start ? one->start < other->start : one->seconds > other->seconds;
}

/// Puts a slice into the first row where it is apart from what is there. Without an end to the rows, spans
/// that all overlap would take a time that grows with their square.
void putIntoRow(const TraceSlice& slice, std::vector<TraceRow>& rows) {
    // Clocks have steps: what ends where the next begins is apart from it.
    constexpr double clockStep = 1e-9;
    auto row = std::ranges::find_if(rows, [&](const TraceRow& candidate) {
        return candidate.slices.back().end <= slice.start + clockStep;
    });
    if (row == rows.end() && rows.size() == TraceModel::mostRows)
        throw Error(ErrorKind::Input,
                    sentence("More than {} spans of one device or thread overlap in this trace: no run "
                             "writes such a one",
                             TraceModel::mostRows),
                    {}, sentence("Repeat the run to get its trace.json again"));
    if (row == rows.end())
        row = rows.insert(rows.end(), TraceRow());
    row->slices.push_back(slice);
}

void addCovered(TraceRow& row) {
    row.covered.reserve(row.slices.size() + 1);
    double sum = 0;
    for (const TraceSlice& slice : row.slices) {
        row.covered.push_back(sum);
        sum += slice.seconds();
    }
    row.covered.push_back(sum);
}

}  // namespace

std::size_t TraceRow::firstAfter(double time) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(slices, time, {}, &TraceSlice::end) -
                                    slices.begin());
}

TraceModel::TraceModel(const ChromeTrace& trace) {
    if (trace.spans.empty())
        return;
    std::map<int, std::vector<const TracedSpan*>> byThread;
    double origin = trace.spans.front().start;
    for (const TracedSpan& span : trace.spans) {
        byThread[span.thread].push_back(&span);
        origin = std::min(origin, span.start);
    }
    NameList names;
    for (auto& [thread, spans] : byThread) {
        std::ranges::stable_sort(spans, comesBefore);
        TraceLane lane{.name = laneName(trace.rows, thread), .rows = {}};
        double stepEnd = 0;
        std::int32_t step = -1;
        for (const TracedSpan* span : spans) {
            TraceSlice slice{.start = span->start - origin,
                             .end = span->end() - origin,
                             .name = names.numberOf(span->name)};
            if (span->category == stepCategory) {
                step = static_cast<std::int32_t>(slice.name);
                stepEnd = slice.end;
            }
            slice.step = slice.start < stepEnd ? step : -1;
            m_seconds = std::max(m_seconds, slice.end);
            putIntoRow(slice, lane.rows);
        }
        m_slices += spans.size();
        std::ranges::for_each(lane.rows, addCovered);
        m_lanes.push_back(std::move(lane));
    }
    m_names = names.take();
}

const TraceRow& TraceModel::rowOf(const SlicePlace& place) const {
    return m_lanes[static_cast<std::size_t>(place.lane)].rows[static_cast<std::size_t>(place.row)];
}

const TraceSlice& TraceModel::at(const SlicePlace& place) const {
    return rowOf(place).slices[place.slice];
}

int TraceModel::rows() const {
    std::size_t count = 0;
    for (const TraceLane& lane : m_lanes)
        count += lane.rows.size();
    return static_cast<int>(count);
}

std::vector<NameStatistics> TraceModel::statistics(const TimeSpan& span) const {
    std::vector<NameStatistics> all(m_names.size());
    for (const TraceLane& lane : m_lanes)
        for (const TraceRow& row : lane.rows)
            for (std::size_t i = row.firstAfter(span.from);
                 i < row.slices.size() && row.slices[i].start < span.to; ++i) {
                const TraceSlice& slice = row.slices[i];
                NameStatistics& of = all[slice.name];
                const double part = std::min(slice.end, span.to) - std::max(slice.start, span.from);
                of.total += part;
                of.most = std::max(of.most, part);
                ++of.count;
            }
    for (std::size_t name = 0; name < all.size(); ++name)
        all[name].name = static_cast<std::uint32_t>(name);
    std::erase_if(all, [](const NameStatistics& of) { return of.count == 0; });
    std::ranges::stable_sort(all, std::ranges::greater(), &NameStatistics::total);
    return all;
}

std::vector<bool> TraceModel::namesWith(const QString& text) const {
    std::vector<bool> with;
    for (const QString& name : m_names)
        with.push_back(text.isEmpty() || name.contains(text, Qt::CaseInsensitive));
    return with;
}

std::vector<SlicePlace> TraceModel::find(const std::vector<bool>& names) const {
    std::vector<SlicePlace> found;
    for (std::size_t lane = 0; lane < m_lanes.size(); ++lane)
        for (std::size_t row = 0; row < m_lanes[lane].rows.size(); ++row) {
            const std::vector<TraceSlice>& slices = m_lanes[lane].rows[row].slices;
            for (std::size_t slice = 0; slice < slices.size(); ++slice)
                if (names[slices[slice].name])
                    found.push_back({static_cast<int>(lane), static_cast<int>(row), slice});
        }
    std::ranges::stable_sort(found, {}, [this](const SlicePlace& place) { return at(place).start; });
    return found;
}

namespace {

/// Returns the first slice behind `from` that starts at `time` or later. It is near, so that steps that
/// double find it sooner than halving all of them.
std::size_t firstStartingAt(const std::vector<TraceSlice>& slices, std::size_t from, double time) {
    std::size_t step = 1;
    while (from + step < slices.size() && slices[from + step].start < time)
        step *= 2;
    const auto begin = slices.begin() + static_cast<std::ptrdiff_t>(from + step / 2 + (step == 1 ? 1 : 0));
    const auto end = slices.begin() + static_cast<std::ptrdiff_t>(std::min(slices.size(), from + step));
    return static_cast<std::size_t>(std::ranges::lower_bound(begin, end, time, {}, &TraceSlice::start) -
                                    slices.begin());
}

}  // namespace

void layOutRow(const TraceRow& row, double from, double secondsPerPixel, int pixels,
               std::vector<DrawnSlice>& drawn) {
    constexpr double far = 1e8;  // pixels, which a slice may reach beyond what is seen
    const std::vector<TraceSlice>& slices = row.slices;
    const auto pixelAt = [&](double time) {
        return static_cast<int>(std::floor(std::clamp((time - from) / secondsPerPixel, -far, far)));
    };
    const double end = from + pixels * secondsPerPixel;
    for (std::size_t i = row.firstAfter(from); i < slices.size() && slices[i].start < end;) {
        const int left = pixelAt(slices[i].start);
        const int right = pixelAt(slices[i].end);
        if (right > left) {
            drawn.push_back({.left = left, .right = right, .slice = i});
            ++i;
            continue;
        }
        const double border = from + (left + 1) * secondsPerPixel;
        std::size_t next = firstStartingAt(slices, i, border);
        if (next > i + 1 && pixelAt(slices[next - 1].end) > left)
            --next;  // it reaches into the next pixel, and is drawn by itself
        const double covered = (row.covered[next] - row.covered[i]) / secondsPerPixel;
        drawn.push_back({.left = left,
                         .right = left + 1,
                         .slice = i,
                         .count = next - i,
                         .covered = std::min(1.0, covered)});
        i = next;
    }
}

}  // namespace meshreel
