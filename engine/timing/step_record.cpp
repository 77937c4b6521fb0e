// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/step_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "engine/base/csv.h"

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 5> stepWorkNames{"full", "prompt", "first_block", "no_blocks", "none"};

constexpr std::array<double StepRecord::*, 6> numberColumns{
    &StepRecord::timestep,  &StepRecord::sigma,     &StepRecord::seconds,
    &StepRecord::latentMin, &StepRecord::latentMax, &StepRecord::latentMean,
};

constexpr std::array<std::string_view, 9> stepColumns{"step", "timestep", "sigma",  "seconds", "min",
                                                      "max",  "mean",     "expert", "work"};
enum StepColumn : std::size_t {
    StepIndex,
    FirstNumber,
    ExpertIndex = FirstNumber + numberColumns.size(),
    WorkName
};
constexpr std::size_t fewestColumns = ExpertIndex;  // earlier versions did not write the others

constexpr std::size_t stepsPerLine = 10;

std::string_view stepCsvHeader() {
    static const std::string header = fmt::format("{}", fmt::join(stepColumns, ","));
    return header;
}

CsvReader readerOf(std::string_view text) {
    return {text, "steps.csv", sentence("The file was changed by another program; restore it from a copy")};
}

[[noreturn]] void failAtRow(const CsvReader& table, const std::vector<std::string>& row) {
    table.fail(
        sentence("\"{}\" is not a row of {}", fmt::format("{}", fmt::join(row, ",")), stepCsvHeader()));
}

StepRecord recordIn(const CsvReader& row) {
    StepRecord record;
    record.step = row.number<int>(StepIndex);
    for (std::size_t index = 0; index < numberColumns.size(); ++index)
        record.*numberColumns[index] = row.number<double>(FirstNumber + index);
    if (row.columns().size() > ExpertIndex)
        record.expert = row.number<int>(ExpertIndex);
    if (row.columns().size() > WorkName) {
        const std::optional<StepWork> work = stepWorkNamed(row.fields()[WorkName]);
        if (!work)
            failAtRow(row, row.fields());
        record.work = *work;
    }
    return record;
}

}  // namespace

std::string_view nameOf(StepWork work) {
    return stepWorkNames.at(static_cast<std::size_t>(work));
}

std::optional<StepWork> stepWorkNamed(std::string_view name) {
    for (std::size_t index = 0; index < stepWorkNames.size(); ++index)
        if (stepWorkNames.at(index) == name)
            return static_cast<StepWork>(index);
    return std::nullopt;
}

std::string stepCsvRow(const StepRecord& record) {
    std::string row = fmt::format("{}", record.step);
    for (const auto column : numberColumns)
        row += fmt::format(",{}", record.*column);
    return row + fmt::format(",{},{}", record.expert, nameOf(record.work));
}

StepRecord parseStepCsvRow(std::string_view line) {
    const auto fields = static_cast<std::size_t>(std::ranges::count(line, ',')) + 1;
    const auto columns = std::span(stepColumns).first(std::min(fields, stepColumns.size()));
    return parseStepCsv(fmt::format("{}\n{}\n", fmt::join(columns, ","), line)).front();
}

std::string stepCsv(const std::vector<StepRecord>& records) {
    std::string text = fmt::format("{}\n", stepCsvHeader());
    for (const StepRecord& record : records)
        text.append(stepCsvRow(record)).append("\n");
    return text;
}

std::vector<StepRecord> parseStepCsv(std::string_view text) {
    const std::string_view written = text.substr(0, text.rfind('\n') + 1);
    if (written.empty())
        return {};
    CsvReader table = readerOf(written);
    const std::size_t columns = table.columns().size();
    if (columns < fewestColumns || columns > stepColumns.size() ||
        !table.beginsWith(std::span(stepColumns).first(columns)))
        failAtRow(table, table.columns());
    std::vector<StepRecord> records;
    while (table.next())
        records.push_back(recordIn(table));
    return records;
}

std::string formatStepSeconds(const std::vector<StepRecord>& records) {
    if (records.empty())
        return {};
    const auto [least, most] = std::ranges::minmax(records, {}, &StepRecord::seconds);
    double sum = 0;
    for (const StepRecord& record : records)
        sum += record.seconds;
    std::string text = fmt::format("  Seconds per step: mean {:.3f}, least {:.3f}, most {:.3f}\n",
                                   sum / static_cast<double>(records.size()), least.seconds, most.seconds);
    for (std::size_t index = 0; index < records.size(); ++index) {
        if (index % stepsPerLine == 0)
            text += fmt::format("{}  {:>4}:", index == 0 ? "" : "\n", records[index].step + 1);
        text += fmt::format(" {:.3f}", records[index].seconds);
    }
    return text.append("\n");
}

}  // namespace meshreel
