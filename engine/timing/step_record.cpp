// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/step_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 5> names{"full", "prompt", "first_block", "no_blocks", "none"};

}  // namespace

std::string_view nameOf(StepWork work) {
    return names.at(static_cast<std::size_t>(work));
}

std::optional<StepWork> stepWorkNamed(std::string_view name) {
    for (std::size_t index = 0; index < names.size(); ++index)
        if (names.at(index) == name)
            return static_cast<StepWork>(index);
    return std::nullopt;
}

namespace {

constexpr std::array<double StepRecord::*, 6> numberColumns{
    &StepRecord::timestep,  &StepRecord::sigma,     &StepRecord::seconds,
    &StepRecord::latentMin, &StepRecord::latentMax, &StepRecord::latentMean,
};

// Columns that earlier versions did not write.
constexpr std::string_view expertColumn = ",expert";
constexpr std::string_view workColumn = ",work";

constexpr std::size_t stepsPerLine = 10;

[[noreturn]] void throwBadRow(std::string_view line) {
    throw Error(ErrorKind::Input, sentence("\"{}\" is not a row of {}", line, stepCsvHeader()), "steps.csv",
                sentence("The file was changed by another program; restore it from a copy"));
}

/// Takes the next field off `rest`, which is empty after the last one.
std::string_view takeField(std::string_view& rest) {
    const std::size_t comma = rest.find(',');
    const std::string_view field = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    return field;
}

template <typename Number>
Number readField(std::string_view& rest, std::string_view line) {
    const std::string_view field = takeField(rest);
    Number value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size())
        throwBadRow(line);
    return value;
}

StepWork readWork(std::string_view& rest, std::string_view line) {
    const std::optional<StepWork> work = stepWorkNamed(takeField(rest));
    if (!work)
        throwBadRow(line);
    return *work;
}

bool isHeader(std::string_view line) {
    const std::string_view header = stepCsvHeader();
    const std::string_view withoutWork = header.substr(0, header.size() - workColumn.size());
    return line == header || line == withoutWork ||
           line == withoutWork.substr(0, withoutWork.size() - expertColumn.size());
}

}  // namespace

std::string_view stepCsvHeader() {
    return "step,timestep,sigma,seconds,min,max,mean,expert,work";
}

std::string stepCsvRow(const StepRecord& record) {
    std::string row = fmt::format("{}", record.step);
    for (const auto column : numberColumns)
        row += fmt::format(",{}", record.*column);
    return row + fmt::format(",{},{}", record.expert, nameOf(record.work));
}

StepRecord parseStepCsvRow(std::string_view line) {
    if (line.ends_with(','))
        throwBadRow(line);
    std::string_view rest = line;
    StepRecord record;
    record.step = readField<int>(rest, line);
    for (const auto column : numberColumns)
        record.*column = readField<double>(rest, line);
    if (!rest.empty())
        record.expert = readField<int>(rest, line);
    if (!rest.empty())
        record.work = readWork(rest, line);
    if (!rest.empty())
        throwBadRow(line);
    return record;
}

std::string stepCsv(const std::vector<StepRecord>& records) {
    std::string text = fmt::format("{}\n", stepCsvHeader());
    for (const StepRecord& record : records)
        text.append(stepCsvRow(record)).append("\n");
    return text;
}

std::vector<StepRecord> parseStepCsv(std::string_view text) {
    std::vector<StepRecord> records;
    bool header = true;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (!header)
            records.push_back(parseStepCsvRow(line));
        else if (!isHeader(line))
            throwBadRow(line);
        header = false;
    }
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
