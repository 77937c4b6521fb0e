// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "engine/verification/benchmarks/benchmark_groups.h"
#include "engine/verification/benchmarks/linear_cases.h"

namespace meshreel {
namespace {

MeasuredTime measureLinear(BenchmarkRun& run, PreparedLinear& linear) {
    return run.measure([&] { linear.run(); });
}

}  // namespace

void benchmarkLinear(BenchmarkRun& run) {
    const Arithmetic arithmetic = run.options().arithmetic;
    for (const LinearModel& model : linearModels())
        for (const LinearCase& linear : model.cases())
            for (const std::int64_t rows : run.tokensOr({1280, 7800, 32760})) {
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                run.addFlops(fmt::format("linear.{}.{}.{}", model.name, linear.name, rows), prepared.flops(),
                             measureLinear(run, prepared), arithmetic, prepared.bytes());
            }
}

void benchmarkInt8(BenchmarkRun& run) {
    for (const LinearCase& linear : linearModels().back().cases())
        for (const std::int64_t rows : run.tokensOr({7800})) {
            const auto secondsIn = [&](Arithmetic arithmetic) {
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                return measureLinear(run, prepared);
            };
            const MeasuredTime bf16 = secondsIn(Arithmetic::BF16);
            const MeasuredTime int8 = secondsIn(Arithmetic::Int8);
            run.add({.name = fmt::format("int8.14b.{}.{}", linear.name, rows),
                     .value = int8.median,
                     .unit = "s",
                     .ratio = bf16.median / int8.median,
                     .of = "the same in bf16",
                     .spread = (int8.slowest - int8.fastest) / int8.median,
                     .rounds = int8.rounds,
                     .details = {{"bf16_seconds", bf16.median}}});
        }
}

}  // namespace meshreel
