// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/normalizers.h"

#include <fmt/format.h>
#include <unicode/regex.h>
#include <unicode/uchar.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "engine/base/error.h"
#include "engine/text/base64.h"
#include "engine/text/precompiled_charsmap.h"
#include "engine/text/unicode.h"

namespace meshreel {
namespace {

using nlohmann::json;

TextNormalizer readNormalizers(const json& description, const std::string& where) {
    std::vector<TextNormalizer> steps;
    for (const json& step : description.at("normalizers"))
        steps.push_back(readNormalizer(step, where));
    return [steps](std::string text) {
        for (const TextNormalizer& step : steps)
            text = step(text);
        return text;
    };
}

TextNormalizer readPrecompiled(const json& description, const std::string& where) {
    const auto blob = decodeBase64(description.at("precompiled_charsmap").get_ref<const std::string&>());
    if (!blob)
        throw Error(ErrorKind::Input, sentence("the precompiled character map is not base64"), where,
                    sentence("Download the file again"));
    auto map = std::make_shared<const PrecompiledCharsmap>(*blob, where);
    return [map](const std::string& text) { return map->normalize(text); };
}

TextNormalizer readStrip(const json& description, const std::string&) {
    const bool left = description.at("strip_left").get<bool>();
    const bool right = description.at("strip_right").get<bool>();
    return [left, right](const std::string& utf8) {
        const std::u32string text = fromUtf8(utf8);
        const auto visible = [](char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)) == 0; };
        const auto begin = left ? std::find_if(text.begin(), text.end(), visible) : text.begin();
        const auto end = right ? std::find_if(text.rbegin(), text.rend(), visible).base() : text.end();
        return begin < end ? toUtf8(std::u32string(begin, end)) : std::string();
    };
}

std::string replaceMatches(const icu::RegexPattern& pattern, const std::string& utf8,
                           const icu::UnicodeString& content) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::UnicodeString text = icu::UnicodeString::fromUTF8(utf8);
    const std::unique_ptr<icu::RegexMatcher> matcher(pattern.matcher(text, status));
    icu::UnicodeString result;
    std::int32_t copied = 0;
    while (U_SUCCESS(status) && matcher->find(status)) {
        const std::int32_t begin = matcher->start(status);
        result.append(text, copied, begin - copied).append(content);
        copied = matcher->end(status);
    }
    if (U_FAILURE(status))
        throw Error(ErrorKind::Internal,
                    fmt::format("a tokenizer's pattern failed ({})", u_errorName(status)));
    result.append(text, copied, text.length() - copied);
    std::string replaced;
    return result.toUTF8String(replaced);
}

TextNormalizer readReplace(const json& description, const std::string& where) {
    const json& pattern = description.at("pattern");
    const auto content = icu::UnicodeString::fromUTF8(description.at("content").get<std::string>());
    const bool literal = pattern.contains("String");
    const auto source = pattern.at(literal ? "String" : "Regex").get<std::string>();
    UErrorCode status = U_ZERO_ERROR;
    const std::shared_ptr<const icu::RegexPattern> compiled(icu::RegexPattern::compile(
        icu::UnicodeString::fromUTF8(source), literal ? UREGEX_LITERAL : 0, status));
    if (U_FAILURE(status))
        throw Error(ErrorKind::Input, sentence("the pattern '{:.80}' is not understood", source), where,
                    sentence("Remove tokenizer.json to use spiece.model instead"));
    return [compiled, content](const std::string& text) { return replaceMatches(*compiled, text, content); };
}

template <NormalizationForm form>
TextNormalizer readUnicodeForm(const json&, const std::string&) {
    return [](const std::string& text) { return toUtf8(normalize(fromUtf8(text), form)); };
}

struct NormalizerKind {
    std::string_view type;
    TextNormalizer (*read)(const json& description, const std::string& where);
};

constexpr std::array normalizerKinds = {
    NormalizerKind{"Sequence", readNormalizers},
    NormalizerKind{"Precompiled", readPrecompiled},
    NormalizerKind{"Strip", readStrip},
    NormalizerKind{"Replace", readReplace},
    NormalizerKind{"NFC", readUnicodeForm<NormalizationForm::Nfc>},
    NormalizerKind{"NFD", readUnicodeForm<NormalizationForm::Nfd>},
    NormalizerKind{"NFKC", readUnicodeForm<NormalizationForm::Nfkc>},
    NormalizerKind{"NFKD", readUnicodeForm<NormalizationForm::Nfkd>},
};

}  // namespace

TextNormalizer readNormalizer(const json& description, const std::string& where) {
    if (description.is_null())
        return [](const std::string& text) { return text; };
    const auto type = description.at("type").get<std::string>();
    const auto* kind = std::ranges::find(normalizerKinds, type, &NormalizerKind::type);
    if (kind == normalizerKinds.end())
        throw Error(ErrorKind::Input, sentence("the normalizer '{:.80}' is not supported", type), where,
                    sentence("Remove tokenizer.json to use spiece.model instead"));
    return kind->read(description, where);
}

}  // namespace meshreel
