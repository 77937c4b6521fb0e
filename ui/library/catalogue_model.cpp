// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/catalogue_model.h"

#include <QFont>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/paths.h"
#include "engine/base/sentence.h"
#include "engine/catalogue/model_offers.h"
#include "engine/models/families/model_identity.h"
#include "engine/weights/tensor_names.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

QString shownText(const std::string& text) {
    return visibleText(QString::fromStdString(text));
}

QString shownSize(std::uintmax_t bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes));
}

QString whatIs(const CatalogueFile& file) {
    if (!file.problem.empty())
        return CatalogueModel::tr("Cannot be used: %1").arg(sentenceText(file.problem));
    if (file.adapter)
        return CatalogueModel::tr("Adapter");
    const ModelIdentity& identity = file.identity;
    if (!identity.relative.empty())
        return CatalogueModel::tr("%1, which Meshreel does not run").arg(sentenceText(identity.relative));
    if (!identity.part)
        return CatalogueModel::tr("No part of a Wan model");
    QStringList parts{shownText(std::string(nameOf(*identity.part)))};
    for (const Sentence& part : {identity.family, identity.what})
        if (!part.empty())
            parts += sentenceText(part);
    return parts.join(QStringLiteral(", "));
}

/// Only a transformer stands for a model by itself.
QString spellingOf(const CatalogueFile& file) {
    const bool isTransformer = file.problem.empty() && !file.adapter && file.identity.relative.empty() &&
                               file.identity.part == ModelPart::Transformer;
    return isTransformer ? shownText(withTilde(file.path)) : QString();
}

/// "Wan 2.1" of "Wan 2.1 T2V 14B" and of "Wan-AI/Wan2.1-T2V-14B-Diffusers"; empty without one.
QString familyIn(const QString& text) {
    static const QRegularExpression pattern(QStringLiteral(R"(Wan ?(\d\.\d))"));
    const QRegularExpressionMatch match = pattern.match(text);
    return match.hasMatch() ? QStringLiteral("Wan %1").arg(match.captured(1)) : QString();
}

QString familyTitle(const QString& family) {
    return family.isEmpty() ? CatalogueModel::tr("Other models to download")
                            : CatalogueModel::tr("%1 to download", "family of models").arg(family);
}

QString groupTitle(const ModelOffer& offer) {
    switch (offer.kind) {
        case OfferKind::Model:
            return familyTitle(familyIn(shownText(offer.title)));
        case OfferKind::Adapter:
            return CatalogueModel::tr("Adapters to download");
        case OfferKind::SmallDecoder:
            return CatalogueModel::tr("Small decoders to download");
        case OfferKind::TextEncoder:
        case OfferKind::Tokenizer:
        case OfferKind::Vae:
        case OfferKind::ImageEncoder:
        case OfferKind::AudioEncoder:
            break;
    }
    return CatalogueModel::tr("Parts of models to download");
}

/// What its variants share: "Wan 2.1 T2V 14B".
QString offerName(const ModelOffer& offer) {
    const QString title = shownText(offer.title);
    return offer.kind == OfferKind::Adapter ? title : title.section(QStringLiteral(", "), 0, 0);
}

/// The smaller, the sooner it runs here.
int fitRank(const OfferedModel& model) {
    constexpr int noDisk = 3;
    if (!model.fit.fitsDisk())
        return noDisk;
    return model.fit.memory ? static_cast<int>(model.fit.memory->kind) : 0;
}

}  // namespace

CatalogueModel::Row CatalogueModel::rowFor(const ModelInfo& model, const CatalogueContent& content) {
    Row row{.name = shownText(model.name),
            .what = model.embedded ? tr("%1, comes with Meshreel").arg(shownText(model.pipelineClass))
                                   : shownText(model.pipelineClass),
            .fit = {},
            .fitTip = {},
            .size = shownSize(model.bytes),
            .path = model.folder,
            .spelling = shownText(model.name)};
    if (model.embedded) {
        row.fit = sentenceText(fitWord(ModelFit()));  // it makes small videos
    } else if (const auto fit = content.fits.find(model.folder); fit != content.fits.end()) {
        row.fit = sentenceText(fitWord(fit->second));
        row.fitTip = sentenceText(fitSentence(fit->second, content.rate));
    }
    return row;
}

CatalogueModel::Row CatalogueModel::rowFor(const CatalogueFile& file, const CatalogueContent& content) {
    Row row{.name = shownText(file.path.filename().string()),
            .what = whatIs(file),
            .fit = {},
            .fitTip = {},
            .size = shownSize(file.bytes),
            .path = file.path,
            .spelling = spellingOf(file)};
    if (const auto fit = content.fits.find(file.path); fit != content.fits.end()) {
        row.fit = sentenceText(fitWord(fit->second));
        row.fitTip = sentenceText(fitSentence(fit->second, content.rate));
    }
    return row;
}

CatalogueModel::Group& CatalogueModel::groupOf(const QString& title, std::vector<Group>& groups) {
    const auto known = std::ranges::find(groups, title, &Group::title);
    return known == groups.end() ? groups.emplace_back(Group{.title = title, .rows = {}}) : *known;
}

void CatalogueModel::addOffered(std::vector<OfferedModel> offered, std::vector<Group>& groups) {
    for (OfferedModel& model : offered) {
        Group& group = groupOf(groupTitle(*model.offer), groups);
        const QString name = offerName(*model.offer);
        auto row = std::ranges::find(group.rows, name, &Row::name);
        if (row == group.rows.end()) {
            group.rows.push_back({.name = name, .what = {}, .fit = {}, .fitTip = {}, .size = {}});
            row = std::prev(group.rows.end());
        }
        row->variants.push_back(std::move(model));
    }
}

void CatalogueModel::addAbsent(std::vector<AbsentModel> absent, std::vector<Group>& groups) {
    for (AbsentModel& model : absent) {
        const QString id = shownText(model.id);
        Group& group = groupOf(familyTitle(familyIn(id)), groups);
        auto row = std::ranges::find_if(group.rows, [&model](const Row& candidate) {
            return !candidate.variants.empty() && candidate.variants.front().offer->release == model.id;
        });
        if (row == group.rows.end()) {
            group.rows.push_back(
                {.name = id.section(QLatin1Char('/'), -1), .what = {}, .fit = {}, .fitTip = {}, .size = {}});
            row = std::prev(group.rows.end());
        }
        row->spelling = id;
        row->absent = std::move(model);
    }
}

void CatalogueModel::describe(Row& row) {
    std::ranges::stable_sort(row.variants, {}, fitRank);
    QStringList ways;
    for (const OfferedModel& variant : row.variants)
        ways += variantOf(*variant.offer);
    ways.removeAll(QString());
    if (row.absent)
        ways += tr("diffusers folder", "a way to get a model");
    if (!row.variants.empty()) {
        const OfferedModel& usual = row.variants.front();
        row.what = ways.isEmpty() ? shownText(usual.offer->repository) : ways.join(QStringLiteral(", "));
        row.fit = sentenceText(fitWord(usual.fit));
        row.fitTip = sentenceText(fitSentence(usual.fit, usual.rate));
        row.size = shownSize(usual.bytesMissing());
    } else if (row.absent) {
        row.what = ways.join(QStringLiteral(", "));
        row.fit = row.absent->fit ? sentenceText(fitWord(*row.absent->fit)) : QString();
        row.fitTip =
            row.absent->fit ? sentenceText(fitSentence(*row.absent->fit, row.absent->rate)) : QString();
        row.size = shownSize(row.absent->bytes());
    }
}

void CatalogueModel::setContent(CatalogueContent content) {
    std::vector<Group> groups{{.title = tr("On this machine"), .rows = {}}};
    for (const ModelInfo& model : content.installed.models)
        groups.front().rows.push_back(rowFor(model, content));
    for (const CatalogueFile& file : content.installed.files)
        groups.front().rows.push_back(rowFor(file, content));
    addOffered(std::move(content.offered), groups);
    addAbsent(std::move(content.absent), groups);
    beginResetModel();
    m_rows.clear();
    for (Group& group : groups) {
        if (group.rows.empty())
            continue;
        m_rows.push_back(
            {.name = group.title, .what = {}, .fit = {}, .fitTip = {}, .size = {}, .isHeading = true});
        std::ranges::for_each(group.rows, describe);
        std::ranges::move(group.rows, std::back_inserter(m_rows));
    }
    endResetModel();
}

int CatalogueModel::firstRow() const {
    const auto first = std::ranges::find(m_rows, false, &Row::isHeading);
    return first == m_rows.end() ? -1 : static_cast<int>(first - m_rows.begin());
}

const AbsentModel* CatalogueModel::absentModel(int row) const {
    return at(row).absent ? &*at(row).absent : nullptr;
}

std::vector<const OfferedModel*> CatalogueModel::variants(int row) const {
    std::vector<const OfferedModel*> variants;
    for (const OfferedModel& variant : at(row).variants)
        variants.push_back(&variant);
    return variants;
}

const OfferedModel* CatalogueModel::offeredModel(int row) const {
    return at(row).variants.empty() ? nullptr : &at(row).variants.front();
}

int CatalogueModel::rowOf(const std::filesystem::path& path) const {
    const auto found = std::ranges::find(m_rows, path, &Row::path);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

QString CatalogueModel::keyOf(int row) const {
    if (!at(row).path.empty())
        return QString::fromStdString(at(row).path.string());
    int heading = row;
    while (heading > 0 && !isHeading(heading))
        --heading;
    return at(heading).name + QLatin1Char('\n') + at(row).name;
}

int CatalogueModel::rowWithKey(const QString& key) const {
    for (int row = 0; row < rowCount(); ++row)
        if (!isHeading(row) && keyOf(row) == key)
            return row;
    return -1;
}

int CatalogueModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int CatalogueModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant CatalogueModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Row& row = at(index.row());
    switch (role) {
        case Qt::DisplayRole:
            break;
        case Qt::TextAlignmentRole:
            return index.column() == Size ? QVariant((Qt::AlignRight | Qt::AlignVCenter).toInt())
                                          : QVariant();
        case Qt::ToolTipRole:
            if (index.column() == Fit && !row.fitTip.isEmpty())
                return row.fitTip;
            return row.path.empty() ? row.spelling : shownText(withTilde(row.path));
        case Qt::FontRole: {
            QFont font;
            font.setBold(true);
            return row.isHeading ? QVariant(font) : QVariant();
        }
        default:
            return {};
    }
    switch (static_cast<Column>(index.column())) {
        case Name:
            return row.name;
        case What:
            return row.what;
        case Fit:
            return row.fit;
        case Size:
            return row.size;
        case ColumnCount:
            break;
    }
    return {};
}

QVariant CatalogueModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= ColumnCount)
        return {};
    const QStringList titles{tr("Model"), tr("What it is"), tr("This machine"), tr("Size")};
    return titles[section];
}

Qt::ItemFlags CatalogueModel::flags(const QModelIndex& index) const {
    return index.isValid() && at(index.row()).isHeading ? Qt::ItemNeverHasChildren
                                                        : QAbstractTableModel::flags(index);
}

}  // namespace meshreel

#include "moc_catalogue_model.cpp"
