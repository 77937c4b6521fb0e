// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/unigram.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

#include "engine/base/error.h"
#include "engine/text/unicode.h"

namespace meshreel {
namespace {

constexpr double unknownPenalty = 10.0;  // below the worst piece, as in SentencePiece

Sentence fix() {
    return sentence("Remove tokenizer.json to use spiece.model instead");
}

}  // namespace

UnigramModel UnigramModel::read(const nlohmann::json& description, const std::string& where) {
    const std::string type = description.value("type", "");
    if (type != "Unigram")
        throw Error(ErrorKind::Input,
                    sentence("the tokenizer model '{:.80}' is not supported, only Unigram is", type), where,
                    fix());
    UnigramModel model;
    model.m_where = where;
    model.m_byteFallback = description.value("byte_fallback", false);
    const nlohmann::json& vocabulary = description.at("vocab");
    double lowest = std::numeric_limits<double>::infinity();
    model.m_pieces.reserve(vocabulary.size());
    for (const nlohmann::json& entry : vocabulary) {
        const auto id = static_cast<std::int64_t>(model.m_pieces.size());
        model.m_pieces.push_back({entry.at(0).get<std::string>(), id, entry.at(1).get<double>()});
        lowest = std::min(lowest, model.m_pieces.back().score);
    }
    model.m_unknownScore = lowest - unknownPenalty;
    if (const auto unknown = description.find("unk_id"); unknown != description.end() && !unknown->is_null())
        model.m_unknownId = unknown->get<std::int64_t>();
    if (model.m_unknownId && (*model.m_unknownId < 0 || *model.m_unknownId >= std::ssize(model.m_pieces)))
        throw Error(ErrorKind::Input,
                    sentence("unk_id {} is none of the {} pieces", *model.m_unknownId, model.m_pieces.size()),
                    where, sentence("Download the file again"));
    // The last of pieces given twice counts.
    std::sort(model.m_pieces.begin(), model.m_pieces.end(), [](const Piece& a, const Piece& b) {
        return a.text != b.text ? a.text < b.text : a.id > b.id;
    });
    const auto last = std::unique(model.m_pieces.begin(), model.m_pieces.end(),
                                  [](const Piece& a, const Piece& b) { return a.text == b.text; });
    model.m_pieces.erase(last, model.m_pieces.end());
    return model;
}

template <typename Visit>
void UnigramModel::forEachPrefix(std::string_view text, Visit visit) const {
    auto first = m_pieces.begin();
    auto last = m_pieces.end();
    for (std::size_t depth = 0; depth < text.size(); ++depth) {
        const int wanted = static_cast<unsigned char>(text[depth]);
        const auto byteAt = [depth](const Piece& piece) {
            return depth < piece.text.size() ? static_cast<unsigned char>(piece.text[depth]) : -1;
        };
        first = std::partition_point(first, last, [&](const Piece& piece) { return byteAt(piece) < wanted; });
        last = std::partition_point(first, last, [&](const Piece& piece) { return byteAt(piece) == wanted; });
        if (first == last)
            return;
        if (first->text.size() == depth + 1)
            visit(*first);
    }
}

std::vector<UnigramModel::Arrival> UnigramModel::bestPaths(std::string_view text) const {
    std::vector<Arrival> best(text.size() + 1);
    const auto offer = [&best](std::size_t begin, std::size_t length, double pieceScore, std::int64_t id) {
        Arrival& arrival = best[begin + length];
        const double score = pieceScore + best[begin].score;
        if (!arrival.reached || score > arrival.score)
            arrival = {score, begin, id, true};
    };
    for (std::size_t begin = 0; begin < text.size();) {
        const std::string_view rest = text.substr(begin);
        const std::size_t character = characterLength(rest);
        bool known = false;
        forEachPrefix(rest, [&](const Piece& piece) {
            offer(begin, piece.text.size(), piece.score, piece.id);
            known = known || piece.text.size() == character;
        });
        if (!known && !m_unknownId)
            throw Error(ErrorKind::Input,
                        sentence("'{}' is in no piece, and there is none for unknown characters",
                                 rest.substr(0, character)),
                        m_where, fix());
        if (!known)
            offer(begin, character, m_unknownScore, *m_unknownId);
        begin += character;
    }
    return best;
}

std::optional<std::int64_t> UnigramModel::find(std::string_view piece) const {
    const auto found = std::lower_bound(m_pieces.begin(), m_pieces.end(), piece,
                                        [](const Piece& a, std::string_view b) { return a.text < b; });
    if (found == m_pieces.end() || found->text != piece)
        return {};
    return found->id;
}

/// Its id, else those of its bytes where the model falls back to them, else that of the unknown piece.
void UnigramModel::addPiece(std::string_view piece, TokenIds& ids) const {
    if (const auto id = find(piece)) {
        ids.push_back(*id);
        return;
    }
    TokenIds bytes;
    for (const char byte : piece)
        if (const auto id = find(fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte))))
            bytes.push_back(*id);
    if (m_byteFallback && bytes.size() == piece.size())
        ids.insert(ids.end(), bytes.begin(), bytes.end());
    else
        ids.push_back(m_unknownId.value());
}

TokenIds UnigramModel::encode(std::string_view text) const {
    const std::vector<Arrival> best = bestPaths(text);
    std::vector<std::string_view> pieces;  // last first
    bool openUnknown = false;
    for (std::size_t end = text.size(); end > 0;) {
        const Arrival& arrival = best[end];
        const std::string_view piece = text.substr(arrival.begin, end - arrival.begin);
        const bool unknown = m_unknownId && arrival.id == *m_unknownId;
        if (unknown && openUnknown)
            pieces.back() = text.substr(arrival.begin, piece.size() + pieces.back().size());
        else
            pieces.push_back(piece);
        openUnknown = unknown;
        end = arrival.begin;
    }
    TokenIds ids;
    std::for_each(pieces.rbegin(), pieces.rend(), [&](std::string_view piece) { addPiece(piece, ids); });
    return ids;
}

}  // namespace meshreel
