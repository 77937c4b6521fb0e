// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "engine/kernels/linear/linear_candidates.h"
#include "engine/verification/benchmarks/benchmark_groups.h"
#include "engine/verification/benchmarks/linear_cases.h"
#include "engine/verification/benchmarks/random_rows.h"

namespace meshreel {
namespace {

/// The product that the library computes for a layer, and nothing else: rows and weights in the type that it
/// wants, no bias, no epilogue.
MeasuredTime measureLibrary(const BenchmarkRun& run, const LinearCase& linear, std::int64_t rows,
                            Arithmetic arithmetic) {
    const Execution& execution = run.execution();
    const DType type = arithmetic == Arithmetic::F32 ? DType::F32 : DType::BF16;
    const PackedMatrix matrix = PackedMatrix::packBy(libraryCandidate(arithmetic), arithmetic,
                                                     randomRows(execution, {linear.out, linear.in}, type));
    const Tensor x = randomRows(execution, {rows, linear.in}, type);
    Tensor y = Tensor::empty({rows, linear.out}, type);
    return run.measure([&] { matrix.apply(execution, MatrixView(x), MatrixSpan(y)); });
}

}  // namespace

void benchmarkLibrary(BenchmarkRun& run) {
    const Arithmetic arithmetic = run.options().arithmetic;
    const std::string_view library = libraryCandidate(arithmetic).library;
    // It is given f32, whatever the layer keeps.
    const Arithmetic given = library == openBlas ? Arithmetic::F32 : arithmetic;
    for (const LinearModel& model : linearModels())
        for (const LinearCase& linear : model.cases())
            for (const std::int64_t rows : run.tokensOr({1280, 7800})) {
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                const MeasuredTime layer = run.measure([&] { prepared.run(); });
                const MeasuredTime alone = measureLibrary(run, linear, rows, given);
                run.add({.name = fmt::format("library.{}.{}.{}", model.name, linear.name, rows),
                         .value = prepared.flops() / layer.median / tera,
                         .unit = "TFLOP/s",
                         .ratio = alone.median / layer.median,
                         .of = fmt::format("{} alone", library),
                         .spread = (layer.slowest - layer.fastest) / layer.median,
                         .rounds = layer.rounds,
                         .details = {{"library_seconds", alone.median}}});
            }
}

}  // namespace meshreel
