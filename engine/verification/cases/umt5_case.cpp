// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/models/text_encoder/umt5.h"
#include "engine/verification/golden_kinds.h"

namespace meshreel {
namespace {

constexpr const char* bucketPositions = "bucket.rel_pos";

Tensor maskOf(const SafetensorsFile& golden, const std::string& variant, const Shape& shape) {
    const std::string name = variant + ".in.attention_mask";
    if (golden.has(name))
        return golden.get(name);
    Tensor ones = Tensor::empty(shape, DType::I64);
    std::ranges::fill(ones.data<std::int64_t>(), 1);
    return ones;
}

void verifyEncoderVariant(const Execution& execution, const Umt5Encoder& encoder, const std::string& variant,
                          GoldenTolerance tolerance, GoldenComparison& comparison) {
    const Tensor ids = comparison.golden().get(variant + ".in.input_ids");
    const Tensor mask = maskOf(comparison.golden(), variant, ids.shape());
    const Tensor states = encoder.encode(execution, ids, mask, comparison.probe(variant, tolerance));
    comparison.compareOnce(variant + ".last_hidden_state", states, tolerance);
    comparison.compareOnce(variant + ".prompt_embeds", maskPadding(states, mask), tolerance);
}

void verifyBuckets(const Umt5Config& config, GoldenComparison& comparison) {
    if (!comparison.golden().has(bucketPositions))
        return;
    const Tensor positions = comparison.golden().get(bucketPositions);
    Tensor buckets = Tensor::empty(positions.shape(), DType::I64);
    std::ranges::transform(positions.data<std::int64_t>(), buckets.data<std::int64_t>().begin(),
                           [&config](std::int64_t position) {
                               return relativePositionBucket(position, config.buckets, config.maxDistance);
                           });
    comparison.compare("bucket.index", buckets, exactly);
}

bool isOutput(const std::string& name) {
    return isModelOutput(name) && name != bucketPositions;
}

}  // namespace

void verifyUmt5(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    comparison = GoldenComparison(files.tensors(), isOutput);
    const std::vector<std::string> variants = goldenVariants(comparison.golden());
    for (const std::string& variant : variants)
        requireKnownInputs(files, comparison.golden(), variant, {"input_ids", "attention_mask"});

    const Umt5Config config = Umt5Config::fromJson(files.json("config.json"), files.place("config.json"));
    verifyBuckets(config, comparison);
    const Umt5Encoder encoder(config, files.weights());
    for (const std::string& variant : variants)
        verifyEncoderVariant(execution, encoder, variant, files.outputTolerance(), comparison);
}

}  // namespace meshreel
