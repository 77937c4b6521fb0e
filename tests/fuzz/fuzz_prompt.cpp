// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string_view>

#include "engine/text/prompt_cleaning.h"
#include "engine/text/tokenizer.h"
#include "engine/text/unicode.h"
#include "require.h"
#include "tests/support/locations.h"

using namespace meshreel;

namespace {

constexpr std::int64_t sequenceLength = 64;
constexpr std::int64_t endOfText = 1;

const Tokenizer& fastTokenizer() {
    static const Tokenizer tokenizer = Tokenizer::open(testing::testData() / "golden" / "tokenizer");
    return tokenizer;
}

const Tokenizer& sentencePieceTokenizer() {
    static const Tokenizer tokenizer =
        Tokenizer::open(testing::testData() / "golden" / "pipeline_t2v" / "tokenizer");
    return tokenizer;
}

void checkEncoded(const Tokenizer::Encoded& encoded) {
    testing::require(std::ssize(encoded.ids) == sequenceLength && std::ssize(encoded.mask) == sequenceLength);
    testing::require(std::reduce(encoded.mask.begin(), encoded.mask.end()) == encoded.length);
    testing::require(encoded.ids[static_cast<std::size_t>(encoded.length - 1)] == endOfText);
    testing::require(
        std::all_of(encoded.ids.begin(), encoded.ids.end(), [](std::int64_t id) { return id >= 0; }));
}

}  // namespace

/// Whatever the bytes, the cleaned prompt is UTF-8 without outer or double spaces, and both tokenizers encode
/// it and the raw bytes into full sequences that end with eos.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view raw(reinterpret_cast<const char*>(data), size);
    const std::string cleaned = cleanPrompt(raw);
    testing::require(fromStrictUtf8(cleaned).has_value());
    testing::require(!cleaned.starts_with(' ') && !cleaned.ends_with(' ') &&
                     cleaned.find("  ") == std::string::npos);
    for (const std::string_view text : {std::string_view(cleaned), raw}) {
        checkEncoded(fastTokenizer().encode(text, sequenceLength));
        checkEncoded(sentencePieceTokenizer().encode(text, sequenceLength));
    }
    return 0;
}
