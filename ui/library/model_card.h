// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTextBrowser>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/model_offers.h"
#include "engine/planning/model_fit.h"

namespace meshreel {

/// A part of a model, or a file of weights on its own.
struct DescribedPart {
    QString title;    ///< "transformer"; empty of a single file
    QString problem;  ///< why the model cannot be described, or that it is missing
    std::vector<std::pair<QString, QString>> facts = {};
};

/// What `meshreel inspect` reports about a model, in the Studio's words.
struct DescribedModel {
    QString title;
    QString where;         ///< folder and size
    QString command = {};  ///< that downloads it, or what is missing of it; empty when none is known
    std::vector<DescribedPart> parts;
    QString card;  ///< Markdown; may be empty
};

/// Describes a model's folder or a file of weights; reads the headers of its files. Throws Error{Input} for a
/// file that holds none; a part that cannot be read has its problem.
DescribedModel describeInstalled(const std::filesystem::path& path);

/// A released model that is not on this machine.
struct AbsentModel {
    std::string id;  ///< "Wan-AI/Wan2.1-T2V-1.3B-Diffusers"
    std::vector<PublishedPart> parts;
    std::optional<ModelFit> fit = {};  ///< for its usual video
    DiskRate rate = {};                ///< of the models folder's disk

    /// Returns the bytes in the number type of the release; repositories may store F32.
    [[nodiscard]] std::uint64_t bytes() const;
};

/// Returns the models that the installed presets name. Reads the presets, and plans with the models.
std::vector<AbsentModel> listAbsentModels(const ModelCatalogue& installed, const DiskRate& rate);

/// Returns what it consists of and how it is got.
DescribedModel describeAbsent(const AbsentModel& model);

/// What can be downloaded, and is not all on this machine.
struct OfferedModel {
    const ModelOffer* offer = nullptr;
    std::vector<LocatedFile> files;  ///< including those of what it needs
    OfferFit fit = {};
    DiskRate rate = {};  ///< of the models folder's disk

    [[nodiscard]] std::uint64_t bytesMissing() const;
};

/// Returns the models of the table. Looks at the files of this machine, and plans with the models. Throws as
/// modelOffers() does.
std::vector<OfferedModel> listOfferedModels(const ModelCatalogue& installed, const DiskRate& rate);

/// Returns what tells it from other offers of the same model: "fp8"; empty where there is only one.
QString variantOf(const ModelOffer& offer);

/// Describes its licences, and what is to be downloaded.
DescribedModel describeOffer(const OfferedModel& model);

/// Describes the same of the first of several variants of a model, how the others fit, and, unless it is
/// null, its folder in diffusers layout.
DescribedModel describeVariants(const std::vector<const OfferedModel*>& variants, const AbsentModel* folder);

/// Returns how the models and transformers of this machine fit it, by their paths; not those that come with
/// Meshreel. Reads their headers, and
/// plans with each; what cannot be read is left out.
std::map<std::filesystem::path, ModelFit> fitsOfInstalled(const ModelCatalogue& installed);

/// Returns the description without its card, for a text browser.
QString descriptionHtml(const DescribedModel& model);

/// What is known about the project's model: where it is, how large it is, and its card.
class ModelCard : public QTextBrowser {
    Q_OBJECT

  public:
    explicit ModelCard(QWidget* parent = nullptr);

    /// Name or folder as the project spells it. A model that is not installed is explained.
    void showModel(const QString& nameOrPath);

  private:
    QString m_shown;
};

}  // namespace meshreel
