// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// A row of a table of published times, as resources/published/times.csv has them. Numbers that a source does
/// not state are 0, texts empty.
struct PublishedTime {
    std::string id;
    std::string date;
    std::string framework;
    std::string model;
    std::string task;
    std::string hardware;
    std::int64_t devices = 0;  ///< devices of the mesh: a v7x chip has two
    std::int64_t data = 0;     ///< 2: the halves of guidance on two groups of devices
    std::int64_t context = 0;
    std::int64_t ring = 0;
    std::int64_t ulysses = 0;
    std::int64_t tensor = 0;
    std::string otherParallel;
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t frames = 0;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::string numberType;
    std::string attention;
    std::int64_t blockQ = 0;
    std::int64_t blockKv = 0;
    std::int64_t forwards = 0;  ///< a step
    std::string metric;         ///< e2e, total, denoise, s_per_step, vae_decode, …
    double seconds = 0;
    std::string source;
    std::string notes;
    std::string use;  ///< fit, check, stage, no; empty in tables without the column
};

/// Columns that may be missing count as not stated; id, hardware, metric and seconds may not. Throws
/// Error{Input} with file and line for a damaged table, a number that is none, or seconds that are not above
/// 0.
std::vector<PublishedTime> readPublishedTimes(const std::filesystem::path& file);

/// Parses the times from a text.
std::vector<PublishedTime> parsePublishedTimes(std::string_view text, const std::string& fileName);

/// Returns the table that parsePublishedTimes() reads, with the columns of PublishedTime.
std::string publishedTimesCsv(const std::vector<PublishedTime>& rows);

/// resources/published/times.csv.
std::filesystem::path publishedTimesFile();

}  // namespace meshreel
