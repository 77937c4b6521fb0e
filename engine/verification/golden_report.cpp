// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/golden_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace meshreel {
namespace {

std::string_view verdict(const GoldenRow& row) {
    if (row.informational)
        return "info";
    return row.passed ? "ok" : "FAIL";
}

}  // namespace

bool GoldenReport::passed() const {
    const auto decides = [](const GoldenRow& row) { return !row.informational; };
    return std::ranges::any_of(rows, decides) &&
           std::ranges::all_of(rows, [](const GoldenRow& row) { return row.informational || row.passed; });
}

std::string formatReport(const GoldenReport& report) {
    std::size_t width = std::string_view("output").size();
    for (const GoldenRow& row : report.rows)
        width = std::max(width, row.output.size());

    std::string text = fmt::format("{}: kind {}{}\n", report.folder.string(), report.kind,
                                   report.className.empty() ? "" : ", class " + report.className);
    text += fmt::format("  {:<{}}  {:>12}  {:>12}\n", "output", width, "max abs err", "allowed");
    for (const GoldenRow& row : report.rows)
        text += fmt::format("  {:<{}}  {:>12.3e}  {:>12.3e}  {}{}\n", row.output, width, row.maxAbsError,
                            row.allowed, verdict(row), row.note.empty() ? "" : "  " + row.note);

    const auto decides = [](const GoldenRow& row) { return !row.informational; };
    const auto good = [](const GoldenRow& row) { return !row.informational && row.passed; };
    text +=
        fmt::format("{}: {} of {} outputs hold\n", report.passed() ? "PASSED" : "FAILED",
                    std::ranges::count_if(report.rows, good), std::ranges::count_if(report.rows, decides));
    return text;
}

}  // namespace meshreel
