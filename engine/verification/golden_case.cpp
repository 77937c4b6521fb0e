// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/golden_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {
namespace {

bool decides(const GoldenRow& row) {
    return !row.informational;
}

std::string_view verdict(const GoldenRow& row) {
    if (!decides(row))
        return "info";
    return row.passed ? "ok" : "FAIL";
}

}  // namespace

bool GoldenReport::passed() const {
    return std::ranges::any_of(rows, decides) &&
           std::ranges::all_of(rows, [](const GoldenRow& row) { return !decides(row) || row.passed; });
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

    const auto good = [](const GoldenRow& row) { return decides(row) && row.passed; };
    text +=
        fmt::format("{}: {} of {} outputs hold\n", report.passed() ? "PASSED" : "FAILED",
                    std::ranges::count_if(report.rows, good), std::ranges::count_if(report.rows, decides));
    return text;
}

namespace {

/// One kind of golden case: what `kind` in case.json says, and what runs it.
struct GoldenKind {
    std::string_view name;
    void (*verify)(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
};

constexpr std::array<GoldenKind, 15> kinds{{
    {"dit", verifyDit},
    {"vae", verifyVae},
    {"umt5", verifyUmt5},
    {"clip_vision", verifyClipVision},
    {"image_resize", verifyImageResize},
    {"output_size", verifyOutputSize},
    {"tokenizer", verifyTokenizer},
    {"pipeline", verifyPipeline},
    {"schedulers", verifySchedulers},
    {"torch_random", verifyTorchRandom},
    {"real_shapes", verifyRealShapes},
    {"key_maps", verifyKeyMaps},
    {"lora", verifyLora},
    {"lowp", verifyLowp},
    {"storage", verifyStorage},
}};

}  // namespace

GoldenReport verifyCase(const Execution& execution, const std::filesystem::path& folder) {
    const GoldenFiles files(folder);
    const auto kind = std::ranges::find(kinds, files.kind(), &GoldenKind::name);
    if (kind == kinds.end()) {
        std::string known;
        for (const GoldenKind& row : kinds)
            known += (known.empty() ? "" : ", ") + std::string(row.name);
        throw Error(ErrorKind::Project,
                    sentence("Golden cases of the kind \"{}\" are not known yet", files.kind()),
                    folder.string(), sentence("This version checks {}", known));
    }
    GoldenComparison comparison;
    try {
        kind->verify(execution, files, comparison);
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::Input,
                    sentence("A JSON file of the case is not of the expected form: {}", error.what()),
                    folder.string(), sentence("Restore the golden case"));
    }
    return {folder, files.kind(), files.className(), comparison.finish()};
}

}  // namespace meshreel
