// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/studies/sweep.h"

namespace meshreel {

/// The rows of a sweep on disk, complete after each pass: rows.jsonl, and sweep.csv for people.
class SweepRecord {
  public:
    /// Makes the folder, or takes up what it holds. Throws Error{Project} when that is of another sweep,
    /// Error{Input} when it cannot be written.
    SweepRecord(const SweepFile& sweep, std::span<const SweepCell> cells, std::filesystem::path folder,
                OnSweepRow onRow);

    /// Whether a sweep was begun in the folder.
    static bool isIn(const std::filesystem::path& folder);

    void add(const SweepRow& row);

    [[nodiscard]] const std::vector<SweepRow>& rows() const { return m_rows; }

    /// Timed passes of a cell that are there.
    [[nodiscard]] int passesOf(std::string_view cell) const;
    [[nodiscard]] bool refused(std::string_view cell) const;

    [[nodiscard]] std::filesystem::path traceFile(const SweepCell& cell) const;

  private:
    void requireSameSweep(std::span<const SweepCell> cells) const;
    void readRows();
    void tell(const SweepRow& row) const;

    const SweepFile& m_sweep;
    std::filesystem::path m_folder;
    OnSweepRow m_onRow;
    std::size_t m_cells;
    std::vector<SweepRow> m_rows;
};

}  // namespace meshreel
