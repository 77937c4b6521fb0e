// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>
#include <utility>
#include <vector>

namespace meshreel {

/// A part of a model, or a file of weights that stands by itself.
struct DescribedPart {
    QString title;    ///< "transformer"; empty of a single file
    QString problem;  ///< why it cannot be told, or that it is missing
    std::vector<std::pair<QString, QString>> facts = {};
};

/// What `meshreel inspect` tells of a model, in words of the Studio.
struct DescribedModel {
    QString title;
    QString where;  ///< folder and size
    std::vector<DescribedPart> parts;
    QString card;  ///< Markdown; may be empty
};

/// Of a model's folder or a file of weights; reads the headers of its files. Throws Error{Input} for a file
/// that holds none; a part that cannot be read has its problem.
DescribedModel describeInstalled(const std::filesystem::path& path);

/// The description without its card, for a text browser.
QString descriptionHtml(const DescribedModel& model);

}  // namespace meshreel
