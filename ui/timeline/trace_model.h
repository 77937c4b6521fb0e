// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/timing/chrome_trace.h"

namespace meshreel {

/// A span of a row. Seconds count from the begin of the trace's first span.
struct TraceSlice {
    double start = 0;
    double end = 0;
    std::uint32_t name = 0;  ///< TraceModel::names()
    std::int32_t step = -1;  ///< the name of the denoising step that holds it; -1: none does

    [[nodiscard]] double seconds() const { return end - start; }
};

/// Slices that lie in no other of their lane, or in the same number of them: in order and apart.
struct TraceRow {
    std::vector<TraceSlice> slices;
    std::vector<double> covered;  ///< the seconds of all slices before each, and of all

    /// Returns the first slice that ends after a time; the number of slices when none does.
    [[nodiscard]] std::size_t firstAfter(double time) const;
};

/// What a device or a thread did: rows of slices, each inside one of the row before.
struct TraceLane {
    QString name;  ///< "Device 3"
    std::vector<TraceRow> rows;
};

/// Where a slice stands.
struct SlicePlace {
    int lane = 0;
    int row = 0;
    std::size_t slice = 0;

    friend bool operator==(const SlicePlace&, const SlicePlace&) = default;
};

/// A stretch of time.
struct TimeSpan {
    double from = 0;
    double to = 0;

    [[nodiscard]] double seconds() const { return to - from; }
};

/// What the slices of one name take within a stretch of time; parts of slices count as far as they are in it.
struct NameStatistics {
    std::uint32_t name = 0;
    double total = 0;  ///< seconds, also of slices inside others
    std::size_t count = 0;
    double most = 0;  ///< seconds of the longest

    [[nodiscard]] double mean() const { return count > 0 ? total / static_cast<double>(count) : 0; }
};

/// A piece of a row as it is drawn: a slice, or several that are together narrower than a pixel each.
struct DrawnSlice {
    int left = 0;   ///< pixels from the begin of what is shown; may be below 0
    int right = 0;  ///< behind the last
    std::size_t slice = 0;
    std::size_t count = 1;
    double covered = 1;  ///< part of its pixel, of several
};

/// The slices of a trace by lanes and rows, ready to be drawn, searched and added up.
class TraceModel {
  public:
    static constexpr std::size_t mostRows = 256;  ///< of a lane; spans of runs are some ten deep

    TraceModel() = default;
    /// Throws Error{Input} where spans of a lane overlap so much that they need more rows.
    explicit TraceModel(const ChromeTrace& trace);

    [[nodiscard]] const std::vector<TraceLane>& lanes() const { return m_lanes; }
    [[nodiscard]] const std::vector<QString>& names() const { return m_names; }
    [[nodiscard]] const QString& nameOf(const TraceSlice& slice) const { return m_names[slice.name]; }
    [[nodiscard]] const TraceSlice& at(const SlicePlace& place) const;
    [[nodiscard]] const TraceRow& rowOf(const SlicePlace& place) const;
    /// Returns the end of the last slice.
    [[nodiscard]] double seconds() const { return m_seconds; }
    [[nodiscard]] bool isEmpty() const { return m_lanes.empty(); }
    [[nodiscard]] std::size_t slices() const { return m_slices; }
    [[nodiscard]] int rows() const;

    /// Returns the statistics of every name with a slice in the stretch, the largest total first.
    [[nodiscard]] std::vector<NameStatistics> statistics(const TimeSpan& span) const;
    /// Returns which names hold the text, in any case; all of them hold none.
    [[nodiscard]] std::vector<bool> namesWith(const QString& text) const;
    /// Returns the slices of these names in the order of their starts.
    [[nodiscard]] std::vector<SlicePlace> find(const std::vector<bool>& names) const;

  private:
    std::vector<TraceLane> m_lanes;
    std::vector<QString> m_names;
    double m_seconds = 0;
    std::size_t m_slices = 0;
};

/// Appends what of a row is seen from `from` on in so many pixels, from left to right, at most two pieces for
/// each pixel, whatever the row holds: slices narrower than a pixel are found by binary search and drawn
/// together.
void layOutRow(const TraceRow& row, double from, double secondsPerPixel, int pixels,
               std::vector<DrawnSlice>& drawn);

}  // namespace meshreel
