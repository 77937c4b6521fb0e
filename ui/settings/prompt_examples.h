// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace meshreel {

/// A prompt that a model does well.
struct PromptExample {
    QString motion;  ///< translated, "Growing"; empty when the source does not tell
    QString prompt;
    QString image = {};  ///< the picture that it begins with; empty for most

    friend bool operator==(const PromptExample&, const PromptExample&) = default;
};

/// Returns the prompts of a model's card: the indented lines below "## What to ask for".
QStringList promptsOfCard(const QString& card);

/// Returns the examples of a model, by the name of its folder: those of the table examples/prompts.json in
/// resourceFolder(), else those of its card, else those of the table for large models. Never empty unless the
/// table cannot be read.
std::vector<PromptExample> promptExamples(const QString& model, const QString& card);

/// Returns whether a picture is one of an example.
bool isExamplePicture(const QString& path);

}  // namespace meshreel
