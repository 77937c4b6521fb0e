// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/step_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "engine/base/csv.h"

namespace meshreel {
namespace {

constexpr std::size_t stepsPerLine = 10;

CsvReader openReader(std::string_view text) {
    return {text, "steps.csv", sentence("The file was changed by another program; restore it from a copy")};
}

}  // namespace

std::string stepCsvRow(const StepRecord& record) {
    return csvRow(record);
}

StepRecord parseStepCsvRow(std::string_view line) {
    constexpr auto names = fieldNames<StepRecord>();
    const auto fields = static_cast<std::size_t>(std::ranges::count(line, ',')) + 1;
    const auto columns = std::span(names).first(std::min(fields, names.size()));
    return parseStepCsv(fmt::format("{}\n{}\n", fmt::join(columns, ","), line)).front();
}

std::string stepCsv(const std::vector<StepRecord>& records) {
    std::string text = csvHeader<StepRecord>() + '\n';
    for (const StepRecord& record : records)
        text.append(csvRow(record)).append("\n");
    return text;
}

std::vector<StepRecord> parseStepCsv(std::string_view text) {
    const std::string_view written = text.substr(0, text.rfind('\n') + 1);
    if (written.empty())
        return {};
    CsvReader table = openReader(written);
    if (!hasColumns<StepRecord>(table))
        table.fail(sentence("\"{}\" is not a row of {}", fmt::format("{}", fmt::join(table.columns(), ",")),
                            csvHeader<StepRecord>()));
    std::vector<StepRecord> records;
    while (table.next())
        records.push_back(takeRow<StepRecord>(table));
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
