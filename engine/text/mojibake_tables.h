// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/text/character_patterns.h"

namespace meshreel {

/// Character sequences that hardly occur in text decoded rightly: ftfy 6.3's "badness" heuristic, but for the
/// one pattern that is tied to the beginning of the text (see isBad).
const CharacterPatterns& badSequences();

/// What two, three or four bytes of UTF-8 look like after decoding as some Latin-1-like encoding.
const CharacterPatterns& utf8LookAlikes();

/// Characters that do not stand for themselves beside mojibake; look-alikes are not cut out from behind one.
const icu::UnicodeSet& strictContinuations();

/// UTF-8 bytes in which a space took the place of byte A0.
const CharacterPatterns& utf8WithSpaces();

/// UTF-8 bytes in which some were lost, 1A or '?' standing for them.
const CharacterPatterns& lossyUtf8();

}  // namespace meshreel
