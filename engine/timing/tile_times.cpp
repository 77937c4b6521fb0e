// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/tile_times.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/timing/data_table.h"
#include "engine/timing/run_record.h"
#include "engine/timing/same_work.h"

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 5> tileColumns{"bq", "bkv", "bkv_compute", "status", "mean_ms"};
enum Column : std::size_t { BlockQ, BlockKv, BlockKvCompute, Status, MeanMilliseconds };

constexpr double millisecondsPerSecond = 1e3;

[[noreturn]] void throwNoTable(const std::string& name, Sentence problem) {
    throw Error(ErrorKind::Input, std::move(problem), name,
                sentence("Give tile_size_grid_search.csv as meshreel tune PROJECT --out-dir writes it"));
}

template <typename Number>
Number readNumber(const std::string& field, const std::string& name) {
    Number value{};
    const char* const last = field.data() + field.size();
    const auto [end, error] = std::from_chars(field.data(), last, value);
    if (error != std::errc() || end != last)
        throwNoTable(name, sentence("\"{}\" is no number in a table of a tile search", field));
    return value;
}

bool isTileTable(const std::vector<std::vector<std::string>>& records) {
    return !records.empty() && records.front().size() >= tileColumns.size() &&
           std::ranges::equal(tileColumns, std::span(records.front()).first(tileColumns.size()));
}

auto circumstances(const RunRecord& run) {
    return std::tie(run.attention, run.width, run.height, run.frames, run.devices, run.workersPerDevice,
                    run.ulysses, run.ring, run.settings.mesh);
}

void requireSameWork(const RunRecord& first, const RunRecord& run) {
    const std::array both{&first, &run};
    const std::string settings = differingWork(both).back();
    if (!settings.empty())
        throw Error(
            ErrorKind::Project,
            sentence("Block sizes can only be told apart where steps do the same work ({})", settings),
            run.name, sentence("Name runs that differ in block_q and block_kv only"));
}

void requireOneQuestion(const std::vector<RunRecord>& runs) {
    for (const RunRecord& run : runs) {
        if (!run.tiles.empty())
            throw Error(ErrorKind::Project, sentence("A chart of tiles shows one search, or runs"), run.name,
                        sentence("Name the search alone"));
        requireSameWork(runs.front(), run);
        if (circumstances(run) != circumstances(runs.front()))
            throw Error(
                ErrorKind::Project,
                sentence("Block sizes can only be told apart beside the same video, attention and mesh"),
                run.name, sentence("Name runs that differ in block_q and block_kv only"));
    }
}

}  // namespace

std::vector<TileTime> parseTileTable(std::string_view csv, const std::string& name) {
    const std::vector<std::vector<std::string>> records = parseCsv(csv);
    if (!isTileTable(records))
        throwNoTable(name, sentence("This is no table of a tile search"));
    std::vector<TileTime> tiles;
    for (const std::vector<std::string>& record : std::span(records).subspan(1)) {
        if (record.size() != records.front().size())
            throwNoTable(name, sentence("The table of the tile search is cut off"));
        if (record[Status] == "ok")
            tiles.push_back(
                {.blockQ = readNumber<std::int64_t>(record[BlockQ], name),
                 .blockKv = readNumber<std::int64_t>(record[BlockKv], name),
                 .seconds = readNumber<double>(record[MeanMilliseconds], name) / millisecondsPerSecond});
    }
    if (tiles.empty())
        throw Error(ErrorKind::Input, sentence("Nothing that this tile search tried ran"), name,
                    sentence("Its column detail says why"));
    return tiles;
}

std::vector<TileTime> tileTimes(const std::vector<RunRecord>& runs) {
    if (runs.size() == 1 && !runs.front().tiles.empty())
        return runs.front().tiles;
    std::vector<RunRecord> stepped;
    std::ranges::copy_if(runs, std::back_inserter(stepped), [](const RunRecord& run) {
        return !run.tiles.empty() || run.warmStepSeconds().has_value();
    });
    if (stepped.empty())
        throw Error(
            ErrorKind::Project, sentence("None of these runs finished a step"), {},
            sentence("Name runs that got as far as denoising, or the table of meshreel tune --out-dir"));
    requireOneQuestion(stepped);
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> seconds;
    for (const RunRecord* run : timedRuns(stepped))
        seconds[{run->blockQ, run->blockKv}].push_back(*run->warmStepSeconds());
    std::vector<TileTime> tiles;
    for (const auto& [blocks, times] : seconds) {
        double sum = 0;
        for (const double time : times)
            sum += time;
        tiles.push_back({blocks.first, blocks.second, sum / static_cast<double>(times.size())});
    }
    return tiles;
}

bool differInTilesOnly(const RunRecord& a, const RunRecord& b) {
    return a.tiles.empty() && b.tiles.empty() && haveSameWork(a, b) && circumstances(a) == circumstances(b);
}

}  // namespace meshreel
