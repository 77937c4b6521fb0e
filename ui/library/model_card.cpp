// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/model_card.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/system.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/weights_inspection.h"
#include "engine/models/families/model_identity.h"
#include "engine/models/families/part_tensors.h"
#include "engine/project/presets.h"
#include "engine/weights/tensor_names.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

struct ModelDescription {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ModelDescription)
};

constexpr double million = 1e6;
constexpr double billion = 1e9;
constexpr std::size_t shownMissing = 3;  ///< of the names of missing tensors

QString bytesText(std::uint64_t bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes));
}

QString toText(const std::string& text) {
    return visibleText(QString::fromStdString(text));
}

QString countText(std::uint64_t count) {
    const auto number = static_cast<double>(count);
    return number < billion ? ModelDescription::tr("%1 million", "number")
                                  .arg(QLocale().toString(number / million, 'f', 1))
                            : ModelDescription::tr("%1 billion", "number")
                                  .arg(QLocale().toString(number / billion, 'f', 2));
}

/// "197 BF16, 3 F32".
QString typesText(const StoredClass& stored) {
    QStringList types;
    for (const auto& [type, count] : stored.tensorsOfType)
        types +=
            QStringLiteral("%1 %2").arg(QLocale().toString(static_cast<qulonglong>(count)), toText(type));
    return types.join(QStringLiteral(", "));
}

QString namesText(const std::vector<std::string>& names) {
    QStringList shown;
    for (std::size_t index = 0; index < std::min(names.size(), shownMissing); ++index)
        shown += toText(names[index]);
    const auto more = static_cast<int>(names.size()) - static_cast<int>(shown.size());
    const QString list = shown.join(QStringLiteral(", "));
    return more == 0 ? list : ModelDescription::tr("%1 and %n more", nullptr, more).arg(list);
}

QString identityText(const ModelIdentity& identity) {
    if (!identity.relative.empty())
        return ModelDescription::tr("%1, which Meshreel does not run").arg(sentenceText(identity.relative));
    QStringList parts;
    for (const Sentence& part : {identity.family, identity.what})
        if (!part.empty())
            parts += sentenceText(part);
    return parts.join(QStringLiteral(", "));
}

/// Returns the released model that a folder is named after, as the presets spell it; empty if there is none.
std::string releaseOf(const std::filesystem::path& folder) {
    for (const PresetProject& preset : presetProjects(presetFolder()))
        if (std::filesystem::path(preset.modelId).filename() == folder.filename())
            return preset.modelId;
    return {};
}

using Facts = std::vector<std::pair<QString, QString>>;

/// How it fits this machine, and for which video.
void addFit(const ModelFit& fit, const Sentence& verdict, const DiskRate& rate, Facts& facts) {
    facts.emplace_back(ModelDescription::tr("This machine"), sentenceText(verdict));
    facts.emplace_back(ModelDescription::tr("Planned for", "a video of this size and length"),
                       toText(videoText(fit.project)));
    const ModelFit& runnable = fit.smaller ? *fit.smaller : fit;
    if (runnable.kind == FitKind::Streamed)
        facts.emplace_back(ModelDescription::tr("Disk"), sentenceText(rateSentence(rate)));
}

Facts factsOf(const WeightsInspection& weights) {
    Facts facts;
    const auto add = [&facts](const QString& title, const QString& value) {
        if (!value.isEmpty())
            facts.emplace_back(title, value);
    };
    const ModelIdentity& identity = weights.identity;
    add(ModelDescription::tr("Model"), identityText(identity));
    add(ModelDescription::tr("Unsure"), sentenceText(identity.doubt));
    add(ModelDescription::tr("Format"), ModelDescription::tr("%1, names %2", "file format, style of names")
                                            .arg(toText(weights.format), sentenceText(weights.names)));
    for (const char* key : {"num_layers", "encoder_layers", "num_hidden_layers"})
        if (weights.config.contains(key))
            add(ModelDescription::tr("Layers"), toText(weights.config.at(key).dump()));
    add(ModelDescription::tr("Parameters"),
        ModelDescription::tr("%1, %2 stored", "number, size")
            .arg(countText(weights.parameters), bytesText(weights.storedBytes)));
    for (const StoredClass& stored : weights.classes)
        add(stored.name == "matrices"  ? ModelDescription::tr("Matrices")
            : stored.name == "vectors" ? ModelDescription::tr("Vectors")
                                       : ModelDescription::tr("Convolutions and tables"),
            typesText(stored));
    add(ModelDescription::tr("Quantisation"), sentenceText(weights.quantisation));
    add(ModelDescription::tr("Memory in f32"), bytesText(weights.bytesInF32));
    add(ModelDescription::tr("Memory in bf16"), bytesText(weights.bytesInBf16));
    add(ModelDescription::tr("Missing tensors"), namesText(identity.missing));
    add(ModelDescription::tr("Unexpected tensors"), namesText(identity.unexpected));
    for (const auto& [storage, count] : weights.unread)
        add(ModelDescription::tr("Not read"),
            ModelDescription::tr("%1 (%n tensors)", nullptr, static_cast<int>(count)).arg(toText(storage)));
    for (const UnusedTensors& group : weights.unused)
        add(ModelDescription::tr("Not used"), sentenceText(group.text()));
    QStringList needs;
    for (const Sentence& need : weights.pairing)
        needs += sentenceText(need);
    add(ModelDescription::tr("Also needs"), needs.join(QStringLiteral("; ")));
    return facts;
}

/// `published`: from the release, if it is known.
DescribedPart describePart(const std::filesystem::path& folder, const InspectedPart& part,
                           const std::vector<PublishedPart>& published) {
    DescribedPart described{
        .title = QString::fromUtf8(part.name.data(), static_cast<qsizetype>(part.name.size())),
        .problem = {}};
    if (!part.found) {
        const auto known = std::ranges::find(published, part.name, &PublishedPart::name);
        described.problem = known == published.end()
                                ? ModelDescription::tr("missing")
                                : ModelDescription::tr("missing, at least %1 to download", "size")
                                      .arg(bytesText(known->bytes));
        return described;
    }
    try {
        if (const auto weights = inspectPart(folder / part.name))
            described.facts = factsOf(*weights);
    } catch (const Error& unreadable) {
        described.problem = sentenceText(unreadable.asSentence());
    }
    return described;
}

QString row(const QString& title, const QString& value) {
    return QStringLiteral(
               "<tr><td style=\"padding: 2px 14px 2px 0\">%1</td><td style=\"padding: 2px 0\">%2</td></tr>")
        .arg(title.toHtmlEscaped(), value.toHtmlEscaped());
}

}  // namespace

DescribedModel describeInstalled(const std::filesystem::path& path) {
    const auto addFitOf = [&path](const std::optional<ModelFit>& fit, Facts& facts) {
        if (!fit)
            return;
        const DiskRate rate = modelDiskRate(path);
        addFit(*fit, fitSentence(*fit, rate), rate, facts);
    };
    if (!std::filesystem::is_directory(path)) {
        const WeightsInspection weights = inspectWeights(path);
        Facts facts = factsOf(weights);
        addFitOf(fitOfWeights(weights), facts);
        return {.title = toText(path.filename().string()),
                .where = toText(withTilde(path)),
                .parts = {{.title = {}, .problem = {}, .facts = std::move(facts)}},
                .card = {}};
    }
    const ModelInfo info = describeModel(path);
    const std::vector<PublishedPart> published = publishedParts(info.name);
    DescribedModel model{.title = toText(info.name),
                         .where = ModelDescription::tr("%1, %2 of weights", "folder and size")
                                      .arg(toText(withTilde(info.folder)), bytesText(info.bytes)),
                         .parts = {},
                         .card = toText(info.card)};
    if (Facts facts; !info.embedded) {  // what comes with Meshreel makes small videos
        addFitOf(fitOfFolder(path), facts);
        if (!facts.empty())
            model.parts.push_back({.title = {}, .problem = {}, .facts = std::move(facts)});
    }
    for (const InspectedPart& part : inspectParts(path))
        if (part.found || part.needed)
            model.parts.push_back(describePart(path, part, published));
    const auto isMissing = [](const InspectedPart& part) { return part.needed && !part.found; };
    if (std::ranges::any_of(inspectParts(path), isMissing))
        if (const std::string id = releaseOf(path); !id.empty())
            model.command = toText(downloadCommand(id, path));
    return model;
}

std::uint64_t AbsentModel::bytes() const {
    std::uint64_t sum = 0;
    for (const PublishedPart& part : parts)
        sum += part.bytes;
    return sum;
}

namespace {

/// For a model whose release is known.
std::optional<ModelFit> fitOfRelease(const std::string& id) {
    const std::optional<ModelFacts> facts = releasedModelFacts(id);
    if (!facts)
        return std::nullopt;
    return findFit(usualProject(*facts), {.model = std::make_shared<const ModelFacts>(*facts)});
}

}  // namespace

std::vector<AbsentModel> listAbsentModels(const ModelCatalogue& installed, const DiskRate& rate) {
    std::vector<AbsentModel> absent;
    for (const PresetProject& preset : presetProjects(presetFolder())) {
        const auto isIt = [&preset](const std::string& name) {
            return std::filesystem::path(name).filename() == std::filesystem::path(preset.modelId).filename();
        };
        const bool isHere = std::ranges::any_of(installed.models, isIt, &ModelInfo::name);
        const bool isListed = std::ranges::count(absent, preset.modelId, &AbsentModel::id) > 0;
        if (isHere || isListed)
            continue;
        if (std::vector<PublishedPart> parts = publishedParts(preset.modelId); !parts.empty())
            absent.push_back({.id = preset.modelId,
                              .parts = std::move(parts),
                              .fit = fitOfRelease(preset.modelId),
                              .rate = rate});
    }
    return absent;
}

DescribedModel describeAbsent(const AbsentModel& model) {
    DescribedModel described{
        .title = toText(model.id),
        .where = ModelDescription::tr("Not on this machine: at least %1 to download", "size")
                     .arg(bytesText(model.bytes())),
        .command = toText(downloadCommand(model.id)),
        .parts = {{.title = {}, .problem = {}, .facts = {}}},
        .card = {}};
    for (const PublishedPart& part : model.parts)
        described.parts.front().facts.emplace_back(toText(part.name), bytesText(part.bytes));
    if (model.fit)
        addFit(*model.fit, fitSentence(*model.fit, model.rate), model.rate, described.parts.front().facts);
    return described;
}

std::uint64_t OfferedModel::bytesMissing() const {
    std::uint64_t sum = 0;
    for (const LocatedFile& file : files)
        sum += file.bytesMissing();
    return sum;
}

std::vector<OfferedModel> listOfferedModels(const ModelCatalogue& installed, const DiskRate& rate) {
    const OffersHere here(installed);
    const std::uint64_t memory = availableMemory();
    std::vector<OfferedModel> offered;
    for (const ModelOffer& offer : modelOffers())
        if (!here.has(offer)) {
            OfferedModel model{.offer = &offer, .files = here.toGet(offer), .rate = rate};
            model.fit = fitOffer(offer, model.bytesMissing(), memory);
            offered.push_back(std::move(model));
        }
    return offered;
}

DescribedModel describeOffer(const OfferedModel& model) {
    DescribedModel described{
        .title = toText(model.offer->title),
        .where = ModelDescription::tr("%1 to download, %2 are free on the disk", "sizes")
                     .arg(bytesText(model.bytesMissing()), bytesText(freeDiskSpace(downloadFolder()))),
        .parts = {},
        .card = {}};
    const ModelOffer* last = nullptr;
    for (const LocatedFile& file : model.files) {
        const ModelOffer& offer = *file.offer;
        if (&offer != last)
            described.parts.push_back(
                {.title = toText(offer.title),
                 .problem = {},
                 .facts = {{ModelDescription::tr("Licence"), toText(offer.licence)},
                           {ModelDescription::tr("Licence page"), toText(offer.licencePage)},
                           {ModelDescription::tr("From"), toText(offer.repository)}}});
        last = &offer;
        QString size = bytesText(file.file->bytes);
        if (file.state == FileState::Begun)
            size = ModelDescription::tr("%1, %2 of them here", "sizes").arg(size, bytesText(file.bytesBegun));
        else if (file.state == FileState::Elsewhere)
            size = ModelDescription::tr("%1, shared with another program", "size").arg(size);
        else if (file.state == FileState::Here)
            size = ModelDescription::tr("%1, here", "size").arg(size);
        described.parts.back().facts.emplace_back(toText(file.file->place.filename().string()), size);
        if (!file.wrong.empty() && file.state != FileState::Here)
            described.parts.back().facts.emplace_back(ModelDescription::tr("What lies there is not it"),
                                                      sentenceText(file.wrong));
    }
    if (model.fit.memory)
        addFit(*model.fit.memory, fitSentence(model.fit, model.rate), model.rate,
               described.parts.back().facts);
    return described;
}

QString variantOf(const ModelOffer& offer) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 3> types{
        {{"F16", "fp16"}, {"BF16", "bf16"}, {"F8_E4M3", "fp8"}}};
    const std::size_t comma = offer.title.find(", ");
    if (offer.kind != OfferKind::Adapter && comma != std::string::npos)
        return toText(offer.title.substr(comma + 2));
    const auto* const type =
        std::ranges::find(types, offer.stored, &std::pair<std::string_view, const char*>::first);
    return type == types.end() ? QString() : QLatin1String(type->second);
}

DescribedModel describeVariants(const std::vector<const OfferedModel*>& variants, const AbsentModel* folder) {
    DescribedModel described = describeOffer(*variants.front());
    if (variants.size() > 1) {
        DescribedPart others{.title = ModelDescription::tr("Variants"), .problem = {}};
        for (const OfferedModel* variant : variants)
            others.facts.emplace_back(variantOf(*variant->offer),
                                      ModelDescription::tr("%1 to download: %2", "size, how it fits")
                                          .arg(bytesText(variant->bytesMissing()),
                                               sentenceText(fitSentence(variant->fit, variant->rate))));
        described.parts.insert(described.parts.begin(), std::move(others));
    }
    if (folder == nullptr)
        return described;
    described.command = toText(downloadCommand(folder->id));
    DescribedPart parts{.title = toText(folder->id), .problem = {}};
    parts.facts.emplace_back(
        ModelDescription::tr("In diffusers layout"),
        ModelDescription::tr("at least %1 to download", "size").arg(bytesText(folder->bytes())));
    for (const PublishedPart& part : folder->parts)
        parts.facts.emplace_back(toText(part.name), bytesText(part.bytes));
    described.parts.push_back(std::move(parts));
    return described;
}

std::map<std::filesystem::path, ModelFit> fitsOfInstalled(const ModelCatalogue& installed) {
    std::map<std::filesystem::path, ModelFit> fits;
    for (const ModelInfo& model : installed.models)
        if (!model.embedded)
            if (std::optional<ModelFit> fit = fitOfFolder(model.folder))
                fits.emplace(model.folder, *std::move(fit));
    for (const CatalogueFile& file : installed.files)
        if (file.problem.empty() && !file.adapter && file.identity.part == ModelPart::Transformer)
            try {
                if (std::optional<ModelFit> fit = fitOfWeights(inspectWeights(file.path)))
                    fits.emplace(file.path, *std::move(fit));
            } catch (const Error&) {
                // Its description says what is wrong with it.
            }
    return fits;
}

QString descriptionHtml(const DescribedModel& model) {
    QString html =
        QStringLiteral("<h2>%1</h2><p>%2</p>").arg(model.title.toHtmlEscaped(), model.where.toHtmlEscaped());
    if (!model.command.isEmpty())
        html += QStringLiteral("<p><code>%1</code></p>").arg(model.command.toHtmlEscaped());
    QStringList plain;  // parts without weights
    for (const DescribedPart& part : model.parts) {
        if (part.facts.empty() && part.problem.isEmpty()) {
            plain += part.title.toHtmlEscaped();
            continue;
        }
        if (!part.title.isEmpty())
            html += QStringLiteral("<h3>%1</h3>").arg(part.title.toHtmlEscaped());
        if (!part.problem.isEmpty())
            html += QStringLiteral("<p><b>%1</b></p>").arg(part.problem.toHtmlEscaped());
        html += QStringLiteral("<table>");
        for (const auto& [title, value] : part.facts)
            html += row(title, value);
        html += QStringLiteral("</table>");
    }
    if (!plain.isEmpty())
        html +=
            QStringLiteral("<p>%1</p>")
                .arg(ModelDescription::tr("Also there: %1", "parts").arg(plain.join(QStringLiteral(", "))));
    return html;
}

ModelCard::ModelCard(QWidget* parent) : QTextBrowser(parent) {
    setOpenExternalLinks(true);
    setFrameShape(QFrame::NoFrame);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);  // paths are long
    setAccessibleName(tr("Model card"));
    document()->setDocumentMargin(panelMargin);
}

void ModelCard::showModel(const QString& nameOrPath) {
    if (nameOrPath == m_shown)
        return;
    m_shown = nameOrPath;
    try {
        const ModelInfo model = describeModel(findModel(nameOrPath.toStdString()));
        const QString facts = tr("%1, %2 of weights", "folder and size")
                                  .arg(QString::fromStdString(withTilde(model.folder)),
                                       QLocale().formattedDataSize(static_cast<qint64>(model.bytes)));
        const QString card = model.card.empty() ? tr("This model has no card.")
                                                : visibleText(QString::fromStdString(model.card));
        setMarkdown(card + QStringLiteral("\n\n---\n\n*") + facts.toHtmlEscaped() + QLatin1Char('*'));
    } catch (...) {
        const Problem problem = currentProblem();
        setPlainText(sentenceText(problem.message) + QStringLiteral("\n\n") + sentenceText(problem.hint()));
    }
}

}  // namespace meshreel

#include "moc_model_card.cpp"
