// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"

namespace meshreel {

/// UTF-8 to UTF-8.
using TextNormalizer = std::function<std::string(const std::string&)>;

/// Returns the "normalizer" of a tokenizer.json: Sequence, Precompiled, Strip, Replace, NFC, NFD, NFKC, NFKD;
/// null changes nothing. Throws Error{Input} with `where` for any other.
TextNormalizer readNormalizer(const nlohmann::json& description, const std::string& where);

/// A unigram language model over pieces (Kudo 2018), segmenting as Hugging Face's tokenizers do: the
/// best-scored path by Viterbi, the first found on equal scores, runs of unknown characters fused into one.
class UnigramModel {
  public:
    /// Returns the "model" of a tokenizer.json. Throws Error{Input} with `where` for another type or an
    /// impossible unk_id.
    static UnigramModel read(const nlohmann::json& description, const std::string& where);

    /// `text` is valid UTF-8. Throws Error{Input} for unknown characters when the model has no unk piece.
    [[nodiscard]] TokenIds encode(std::string_view text) const;

    /// Returns the id of a piece, if there is one.
    [[nodiscard]] std::optional<std::int64_t> find(std::string_view piece) const;

  private:
    struct Piece {
        std::string text;
        std::int64_t id;
        double score;  // log probability
    };

    /// The end of the best path up to some byte.
    struct Arrival {
        double score = 0.0;
        std::size_t begin = 0;  // begin of its last piece
        std::int64_t id = 0;
        bool reached = false;
    };

    [[nodiscard]] std::vector<Arrival> bestPaths(std::string_view text) const;
    void addPiece(std::string_view piece, TokenIds& ids) const;

    /// Calls visit(piece) for every piece that `text` starts with, shortest first.
    template <typename Visit>
    void forEachPrefix(std::string_view text, Visit visit) const;

    std::vector<Piece> m_pieces;  // sorted by text
    std::optional<std::int64_t> m_unknownId;
    double m_unknownScore = 0.0;
    bool m_byteFallback = false;
    std::string m_where;
};

}  // namespace meshreel
