// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/pre_tokenizers.h"

#include <unicode/uchar.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/error.h"
#include "engine/text/unicode.h"

namespace meshreel {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(Sentence message, const std::string& where) {
    throw Error(ErrorKind::Input, std::move(message), where,
                sentence("Remove tokenizer.json to use spiece.model instead"));
}

PreTokenizer readPreTokenizers(const json& description, const std::string& where) {
    std::vector<PreTokenizer> steps;
    for (const json& step : description.at("pretokenizers"))
        steps.push_back(readPreTokenizer(step, where));
    return [steps](const TextPiece& piece) {
        std::vector<TextPiece> pieces = {piece};
        for (const PreTokenizer& step : steps) {
            std::vector<TextPiece> next;
            for (const TextPiece& each : pieces) {
                std::vector<TextPiece> parts = step(each);
                std::move(parts.begin(), parts.end(), std::back_inserter(next));
            }
            pieces = std::move(next);
        }
        return pieces;
    };
}

std::vector<TextPiece> splitAtWhiteSpace(const TextPiece& piece) {
    std::vector<TextPiece> pieces;
    bool open = false;
    bool atStart = piece.atStart;
    for (const char32_t c : fromUtf8(piece.utf8)) {
        if (u_isUWhiteSpace(static_cast<UChar32>(c)) != 0) {
            open = false;
        } else {
            if (!open)
                pieces.push_back({{}, atStart});
            open = true;
            pieces.back().utf8 += toUtf8(std::u32string_view(&c, 1));
        }
        atStart = false;
    }
    return pieces;
}

PreTokenizer readWhitespaceSplit(const json&, const std::string&) {
    return splitAtWhiteSpace;
}

enum class Prepend { Always, First, Never };

Prepend readPrepend(const json& description, const std::string& where) {
    if (!description.value("add_prefix_space", true))
        return Prepend::Never;
    const std::string scheme = description.value("prepend_scheme", "always");
    if (scheme == "always")
        return Prepend::Always;
    if (scheme == "first")
        return Prepend::First;
    if (scheme == "never")
        return Prepend::Never;
    refuse(sentence("the prepend_scheme '{:.80}' is not supported", scheme), where);
}

struct Metaspace {
    std::string mark;  // UTF-8, stands for a space
    Prepend prepend;
    bool split;

    [[nodiscard]] std::vector<TextPiece> operator()(const TextPiece& piece) const {
        std::string text;
        for (const char c : piece.utf8) {
            if (c == ' ')
                text += mark;
            else
                text += c;
        }
        const bool wanted = prepend == Prepend::Always || (prepend == Prepend::First && piece.atStart);
        if (wanted && !text.empty() && !text.starts_with(mark))
            text.insert(0, mark);
        std::vector<TextPiece> pieces;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = split ? std::min(text.find(mark, begin + 1), text.size()) : text.size();
            pieces.push_back({text.substr(begin, end - begin), piece.atStart && begin == 0});
            begin = end;
        }
        return pieces;
    }
};

PreTokenizer readMetaspace(const json& description, const std::string& where) {
    Metaspace metaspace{description.at("replacement").get<std::string>(), readPrepend(description, where),
                        description.value("split", true)};
    if (metaspace.mark.empty())
        refuse(sentence("an empty metaspace replacement is not supported"), where);
    return metaspace;
}

struct PreTokenizerKind {
    std::string_view type;
    PreTokenizer (*read)(const json& description, const std::string& where);
};

constexpr std::array preTokenizerKinds = {
    PreTokenizerKind{"Sequence", readPreTokenizers},
    PreTokenizerKind{"WhitespaceSplit", readWhitespaceSplit},
    PreTokenizerKind{"Metaspace", readMetaspace},
};

}  // namespace

PreTokenizer readPreTokenizer(const json& description, const std::string& where) {
    if (description.is_null())
        return [](const TextPiece& piece) { return std::vector<TextPiece>{piece}; };
    const auto type = description.at("type").get<std::string>();
    const auto* kind = std::ranges::find(preTokenizerKinds, type, &PreTokenizerKind::type);
    if (kind == preTokenizerKinds.end())
        refuse(sentence("the pre-tokenizer '{:.80}' is not supported", type), where);
    return kind->read(description, where);
}

}  // namespace meshreel
