// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/sweep_record.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/sentence_json.h"
#include "engine/project/project_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr const char* rowsName = "rows.jsonl";
constexpr const char* tableName = "sweep.csv";
constexpr const char* cellsName = "cells.txt";

/// All that the cells are: two sweeps with the same text measure the same.
std::string description(const SweepFile& sweep, std::span<const SweepCell> cells) {
    std::string text = "arch: " + sweep.architecture + "\nlayers: " + std::to_string(sweep.layers) + "\n";
    for (const SweepCell& cell : cells)
        text += "--- " + cell.name() + "\n" + resolvedYaml(cell.project);
    return text;
}

nlohmann::ordered_json writeRow(const SweepRow& row) {
    nlohmann::ordered_json json{{"cell", row.cell},       {"repeat", row.repeat},
                                {"seconds", row.seconds}, {"bytes_moved", row.bytesMoved},
                                {"devices", row.devices}, {"workers", row.workersPerDevice}};
    putSentence(json, "refusal", row.refusal);
    return json;
}

SweepRow readRow(const nlohmann::json& json) {
    return {.cell = json.at("cell"),
            .repeat = json.at("repeat"),
            .seconds = json.at("seconds"),
            .bytesMoved = json.at("bytes_moved"),
            .devices = json.at("devices"),
            .workersPerDevice = json.at("workers"),
            .refusal = sentenceAt(json, "refusal")};
}

}  // namespace

SweepRecord::SweepRecord(const SweepFile& sweep, std::span<const SweepCell> cells, fs::path folder,
                         OnSweepRow onRow)
    : m_sweep(sweep), m_folder(std::move(folder)), m_onRow(std::move(onRow)), m_cells(cells.size()) {
    std::error_code failed;
    fs::create_directories(m_folder, failed);
    if (failed)
        throw Error(ErrorKind::Input, sentence("The sweep's folder cannot be made: {}", failed.message()),
                    withTilde(m_folder), sentence("Choose another with -o"));
    if (isIn(m_folder))
        requireSameSweep(cells);
    else
        writeFileAtomically(m_folder / cellsName, description(sweep, cells));
    readRows();
}

bool SweepRecord::isIn(const fs::path& folder) {
    std::error_code failed;
    return fs::exists(folder / cellsName, failed);
}

void SweepRecord::requireSameSweep(std::span<const SweepCell> cells) const {
    if (readFile(m_folder / cellsName) != description(m_sweep, cells))
        throw Error(ErrorKind::Project,
                    sentence("The folder holds rows of another sweep, or of this one before it was changed"),
                    withTilde(m_folder), sentence("Choose another folder with -o, or remove this one"));
}

void SweepRecord::readRows() {
    std::ifstream stream(m_folder / rowsName);
    for (std::string line; std::getline(stream, line);) {
        const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
        if (json.is_object())  // a line that a kill cut off is measured again
            m_rows.push_back(readRow(json));
    }
}

void SweepRecord::add(const SweepRow& row) {
    m_rows.push_back(row);
    std::string lines;
    for (const SweepRow& one : m_rows)
        lines += writeRow(one).dump() + "\n";
    writeFileAtomically(m_folder / rowsName, lines);
    writeFileAtomically(m_folder / tableName, csvOf(sweepTable(m_sweep, m_rows)));
    if (m_onRow)
        tell(row);
}

void SweepRecord::tell(const SweepRow& row) const {
    const auto refused = static_cast<std::size_t>(
        std::ranges::count_if(m_rows, [](const SweepRow& one) { return !one.refusal.empty(); }));
    const std::size_t passes = (m_cells - refused) * static_cast<std::size_t>(m_sweep.repeats);
    m_onRow(row, m_rows.size() - refused, passes);
}

int SweepRecord::passesOf(std::string_view cell) const {
    return static_cast<int>(std::ranges::count_if(
        m_rows, [&](const SweepRow& row) { return row.cell == cell && row.refusal.empty(); }));
}

bool SweepRecord::refused(std::string_view cell) const {
    return std::ranges::any_of(m_rows,
                               [&](const SweepRow& row) { return row.cell == cell && !row.refusal.empty(); });
}

fs::path SweepRecord::traceFile(const SweepCell& cell) const {
    std::string name = "trace " + cell.name();
    std::ranges::replace_if(
        name, [](char c) { return c == ' ' || c == ',' || c == '=' || c == '/'; }, '-');
    return m_folder / (name + ".json");
}

}  // namespace meshreel
