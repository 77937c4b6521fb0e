// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/import_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPalette>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStringList>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/catalogue/model_library.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/project_file.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/screen_fit.h"

namespace meshreel {

namespace {

/// Splits a text into words, one character after the other.
class WordReader {
  public:
    QStringList read(const QString& text) {
        for (const QChar letter : text)
            take(letter);
        endWord();
        return m_words;
    }

  private:
    void take(QChar letter) {
        if (m_escaped) {
            m_escaped = false;
            if (letter != QLatin1Char('\n'))
                add(letter);
        } else if (letter == QLatin1Char('\\') && m_quote != QLatin1Char('\'')) {
            m_escaped = true;
        } else if (!m_quote.isNull()) {
            if (letter == m_quote)
                m_quote = {};
            else
                add(letter);
        } else if (letter == QLatin1Char('"') || letter == QLatin1Char('\'')) {
            m_quote = letter;
            m_begun = true;
        } else if (letter.isSpace()) {
            endWord();
        } else {
            add(letter);
        }
    }

    void add(QChar letter) {
        m_word += letter;
        m_begun = true;
    }

    void endWord() {
        if (m_begun)
            m_words += m_word;
        m_word.clear();
        m_begun = false;
    }

    QStringList m_words;
    QString m_word;
    QChar m_quote;
    bool m_begun = false;
    bool m_escaped = false;
};

}  // namespace

MaxDiffusionCommand readPastedCommand(const QString& text) {
    std::vector<std::string> words;
    for (const QString& word : WordReader().read(text))
        words.push_back(word.toStdString());
    return readMaxDiffusionCommand(words);
}

namespace {

/// What asks for a person's attention comes first.
constexpr std::array order{ImportFate::Refused, ImportFate::Ignored, ImportFate::Translated,
                           ImportFate::Taken};

auto placeInOrder(const ImportedKey& key) {
    return std::ranges::find(order, key.fate) - order.begin();
}

QString fateText(ImportFate fate) {
    switch (fate) {
        case ImportFate::Taken:
            return ImportReportModel::tr("taken");
        case ImportFate::Translated:
            return ImportReportModel::tr("translated");
        case ImportFate::Ignored:
            return ImportReportModel::tr("ignored");
        case ImportFate::Refused:
            return ImportReportModel::tr("refused");
    }
    return {};
}

QString fateCountText(ImportFate fate, int count) {
    switch (fate) {
        case ImportFate::Taken:
            return ImportReportModel::tr("%n taken", "keys", count);
        case ImportFate::Translated:
            return ImportReportModel::tr("%n translated", "keys", count);
        case ImportFate::Ignored:
            return ImportReportModel::tr("%n ignored", "keys", count);
        case ImportFate::Refused:
            return ImportReportModel::tr("%n refused", "keys", count);
    }
    return {};
}

QString placeText(const ImportedKey& key) {
    if (key.line == 0)
        return ImportReportModel::tr("command line");
    return QStringLiteral("%1:%2").arg(QFileInfo(QString::fromStdString(key.file)).fileName()).arg(key.line);
}

QString cellText(const ImportedKey& key, int column) {
    switch (column) {
        case ImportReportModel::Key:
            return QString::fromStdString(key.name);
        case ImportReportModel::Fate:
            return fateText(key.fate);
        case ImportReportModel::Meaning:
            return key.result.empty() ? sentenceText(key.reason) : QString::fromStdString(key.result);
        case ImportReportModel::Place:
            return placeText(key);
        default:
            return {};
    }
}

QVariant inkOf(ImportFate fate) {
    const QPalette palette = QGuiApplication::palette();
    return fate == ImportFate::Refused   ? errorColor(palette)
           : fate == ImportFate::Ignored ? QVariant(mutedColor(palette))
                                         : QVariant();
}

}  // namespace

void ImportReportModel::setKeys(std::vector<ImportedKey> keys) {
    beginResetModel();
    m_keys = std::move(keys);
    std::ranges::stable_sort(m_keys, {}, placeInOrder);
    endResetModel();
}

int ImportReportModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_keys.size());
}

int ImportReportModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ImportReportModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const ImportedKey& key = m_keys[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            return cellText(key, index.column());
        case Qt::ForegroundRole:
            return inkOf(key.fate);
        default:
            return {};
    }
}

QVariant ImportReportModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Key:
            return tr("Key");
        case Fate:
            return tr("Result");
        case Meaning:
            return tr("Meshreel setting or reason");
        case Place:
            return tr("From");
        default:
            return {};
    }
}

QString importSummary(const MaxDiffusionImport& imported) {
    QStringList parts;
    for (const ImportFate fate : order)
        if (const auto count = std::ranges::count(imported.keys, fate, &ImportedKey::fate); count > 0)
            parts += fateCountText(fate, static_cast<int>(count));
    return parts.join(QStringLiteral(", "));
}

namespace {

constexpr QSize usualSize{860, 600};
constexpr int summaryLines = 3;  // commands and paths in it can be longer than a small screen has room for
constexpr int commandLines = 4;
constexpr int keyWidth = 210;
constexpr int fateWidth = 130;
constexpr int meaningWidth = 330;

constexpr int mostProblems = 3;  ///< that are shown; the Problems panel has all

QString problemsText(const std::vector<Problem>& problems) {
    QStringList lines;
    for (const Problem& problem : problems)
        if (lines.size() < mostProblems)
            lines += problem.severity == Severity::Error
                         ? ImportDialog::tr("Fix before running: %1").arg(sentenceText(problem.asSentence()))
                         : sentenceText(problem.asSentence());
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

ImportDialog::ImportDialog(QWidget* parent)
    : QDialog(parent),
      m_config(new PathEdit(PathEdit::Count::One, this)),
      m_command(new QPlainTextEdit(this)),
      m_model(new QComboBox(this)),
      m_report(new ImportReportModel(this)),
      m_table(new QTableView(this)),
      m_summary(new ClampedText(summaryLines, this)),
      m_open(nullptr) {
    setWindowTitle(tr("Import from MaxDiffusion"));
    resize(usualSize);
    fitIntoScreen(*this);
    setUpReport();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_open = buttons->addButton(tr("Open as a project"), QDialogButtonBox::AcceptRole);
    m_open->setObjectName(QStringLiteral("open"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(panelMargin);
    layout->addWidget(makeSources());
    layout->addWidget(m_table, 1);
    layout->addWidget(m_summary);
    layout->addWidget(buttons);
    tabAsLaidOut(*this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_config, &QLineEdit::textChanged, this, &ImportDialog::refresh);
    connect(m_command, &QPlainTextEdit::textChanged, this, &ImportDialog::refresh);
    refresh();
}

QWidget* ImportDialog::makeSources() {
    auto* sources = new QWidget(this);
    m_config->setPlaceholderText(tr("base_wan_14b.yml, typed, chosen or dropped here"));
    m_config->setAccessibleName(tr("Config"));
    auto* choose = new QPushButton(themedIcon(QStringLiteral("folder")), tr("Choose…"), sources);
    connect(choose, &QPushButton::clicked, this, &ImportDialog::chooseConfig);
    auto* file = new QHBoxLayout;
    file->addWidget(m_config, 1);
    file->addWidget(choose);
    m_command->setPlaceholderText(
        tr("python generate_wan.py base_wan_14b.yml attention=ulysses_ring ulysses_shards=2 …"));
    m_command->setAccessibleName(tr("Command line"));
    m_command->setTabChangesFocus(true);
    m_command->setFont(monospaceFont());
    m_command->setFixedHeight(commandLines * m_command->fontMetrics().lineSpacing() + 2 * spacing);
    auto* form = new QFormLayout(sources);
    form->setContentsMargins(0, 0, 0, 0);
    form->addRow(tr("Config"), file);
    form->addRow(tr("Command line"), m_command);
    fillModels();
    form->addRow(tr("Model"), m_model);
    return sources;
}

void ImportDialog::fillModels() {
    m_model->setAccessibleName(tr("Model"));
    m_model->setToolTip(tr("The model that the config or the command line names, or another one"));
    m_model->setPlaceholderText(tr("Choose the model that the config is for"));
    for (const ModelInfo& model : installedModels())
        m_model->addItem(QString::fromStdString(model.name));
    m_model->insertSeparator(m_model->count());
    for (const std::string_view model : modelsOfConfigs())
        if (const QString name = QString::fromStdString(std::string(model)); m_model->findText(name) < 0)
            m_model->addItem(name);
    connect(m_model, &QComboBox::textActivated, this, &ImportDialog::chooseModel);
}

void ImportDialog::chooseModel(const QString& model) {
    m_chosenModel = model;
    refresh();
}

bool ImportDialog::asksForModel() const {
    return std::ranges::any_of(m_imported.problems, [](const Problem& problem) {
        return problem.id == ProblemId("config-unknown") || problem.id == ProblemId("model-not-named");
    });
}

void ImportDialog::showModel() {
    const QSignalBlocker blocker(m_model);
    const QString model = QString::fromStdString(m_imported.project.model);
    if (asksForModel())
        return m_model->setCurrentIndex(-1);
    if (m_model->findText(model) < 0)  // another name, or a folder
        m_model->addItem(model);
    m_model->setCurrentText(model);
}

void ImportDialog::setUpReport() {
    m_table->setModel(m_report);
    setUpRowTable(*m_table);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setColumnWidth(ImportReportModel::Key, keyWidth);
    m_table->setColumnWidth(ImportReportModel::Fate, fateWidth);
    m_table->setColumnWidth(ImportReportModel::Meaning, meaningWidth);
    m_table->setAccessibleName(tr("What became of every key"));
}

void ImportDialog::setConfig(const QString& file) {
    m_config->setText(shownPath(file));
}

void ImportDialog::setCommand(const QString& text) {
    m_command->setPlainText(text);
}

QString ImportDialog::origin() const {
    return m_config->text().isEmpty() ? tr("command line") : QFileInfo(m_config->text()).completeBaseName();
}

QString ImportDialog::summary() const {
    return m_summary->text();
}

void ImportDialog::chooseConfig() {
    const QString file = QFileDialog::getOpenFileName(this, tr("Choose a config of MaxDiffusion"), QString(),
                                                      tr("Configs (*.yml *.yaml);;All files (*)"));
    if (!file.isEmpty())
        setConfig(file);
}

bool ImportDialog::readConfig(std::string& text) {
    if (m_config->text().isEmpty())
        return true;
    try {
        text = readProjectText(expandTilde(m_config->text().toStdString()));
        return true;
    } catch (const Error&) {
        m_summary->setText(wholeText(currentProblem()));
        return false;
    }
}

void ImportDialog::refresh() {
    m_imported = {};
    m_report->setKeys({});
    m_open->setEnabled(false);
    const MaxDiffusionCommand command = readPastedCommand(m_command->toPlainText());
    std::string text;
    if (!readConfig(text))
        return;
    if (text.empty() && command.config.empty() && command.words.empty()) {
        m_summary->setText(
            tr("Choose a config, paste a command line, or both: its settings win. What becomes of "
               "every key is told here before anything is opened."));
        return;
    }
    const std::string chosen = m_config->text().toStdString();
    std::vector<std::string> words = command.words;
    if (!m_chosenModel.isEmpty())
        words.push_back("pretrained_model_name_or_path=" + m_chosenModel.toStdString());
    m_imported = importMaxDiffusion(text, chosen.empty() ? command.config : chosen, words);
    showModel();
    m_imported.problems = listProblems(m_imported);
    m_report->setKeys(m_imported.keys);
    QStringList sentences{importSummary(m_imported), problemsText(m_imported.problems)};
    sentences.removeAll(QString());
    m_summary->setText(sentences.join(QLatin1Char('\n')));
    m_open->setEnabled(m_imported.known && !asksForModel() &&
                       std::ranges::any_of(m_imported.keys, [](const ImportedKey& key) {
                           return key.fate == ImportFate::Taken || key.fate == ImportFate::Translated;
                       }));
}

}  // namespace meshreel

#include "moc_import_dialog.cpp"
