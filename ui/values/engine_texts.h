// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

namespace meshreel {

class Sentence;
struct ProjectKey;
struct Problem;

/// visibleText() of what people, files and other programs wrote.
QString visibleText(const QString& text);

/// A word or sentence of the engine's tables (key titles, help, sections, units, choices) in the language of
/// the application.
QString engineText(std::string_view english);

/// A sentence of the engine in the language of the application; in English where that has no translation.
QString sentenceText(const Sentence& sentence);

/// "What is wrong. What to do", "What was done. What was otherwise than asked": the second may be empty.
QString withHint(const QString& what, const QString& hint);

/// Title of the key of this name; empty when there is none.
QString titleOfKey(std::string_view keyName);

/// "Frames: 18 is not legal": what is wrong at which setting, of several keys or none without one.
QString problemText(const Problem& problem);

/// Title of a key, with its section where keys of several sections have the same.
QString distinctTitle(const ProjectKey& key);

/// The range, step or default of a key for people, in the language of the application; empty when everything
/// is legal.
QString limitsText(const ProjectKey& key);

/// "Where: what is wrong. What to do" on one line.
QString wholeText(const Problem& problem);

}  // namespace meshreel
