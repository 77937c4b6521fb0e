// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <string>
#include <string_view>

#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"

namespace meshreel {

struct Problem;
struct ProjectKey;
class Sentence;

/// visibleText() of what people, files and other programs wrote.
QString visibleText(const QString& text);

/// Returns a word or sentence of the engine's tables (key titles, help, sections, units, choices) in the
/// language of the application.
QString engineText(std::string_view english);

/// Returns a sentence of the engine in the language of the application; in English when that has no
/// translation.
QString sentenceText(const Sentence& sentence);

/// Returns the words as the beginning of a text: with a capital letter, where the first word is one and no
/// name, path or value.
QString withCapital(const QString& words);

/// "What is wrong. What to do", "What was done. What was otherwise than asked": the second may be empty.
QString withHint(const QString& what, const QString& hint);

/// Returns a value of a key for people: adapters as "fast (0.7, high noise)", keyframes as "8: fox.png", all
/// others as a project spells them.
QString valueWords(const ProjectKey& key, const std::string& value);

/// Title of the key of this name; empty when there is none.
QString titleOfKey(std::string_view keyName);

/// Its message, in which a key that it begins with has its title: "Width must be a multiple of 16, not 40".
QString messageText(const Problem& problem);

/// "Frames: 18 is not legal": what is wrong at which setting, of several keys or none without one.
QString problemText(const Problem& problem);

/// Title of a key, with its section where keys of several sections have the same.
QString distinctTitle(const ProjectKey& key);

/// Returns the range, step or default of a key for people, in the language of the application; empty when
/// everything is legal.
QString limitsText(const ProjectKey& key);

/// "Where: what is wrong. What to do" on one line.
QString wholeText(const Problem& problem);

/// "Done", "Cancelled", … in the language of the application.
QString statusTitle(RunStatus status);

/// Returns the status with its reason.
QString stateSentence(const RunState& state);

/// Returns when the run started, in local time; invalid when the folder does not say.
QDateTime startTime(const RunState& state);

/// "24 of 24 steps, 12.3 s".
QString extentText(const RunSummary& run);

/// "12.3 s", "2 min 05 s", "1 h 02 min".
QString durationText(double seconds);

/// Returns the short form for little room: "1.2 s", "12 s", "2:05", "1:02:05".
QString shortDurationText(double seconds);

/// Returns the title of a column of comparisonTable() in the language of the application; its name without
/// one.
QString timingColumnTitle(std::string_view name);

}  // namespace meshreel
