// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/importing/import_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/planning/project_check.h"
#include "ui/controller/run_news.h"
#include "ui/importing/command_words.h"
#include "ui/importing/import_report_model.h"
#include "ui/models/key_texts.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/clamped_text.h"
#include "ui/widgets/path_edit.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/screen_fit.h"
#include "ui/widgets/tab_order.h"

namespace meshreel {

namespace {

constexpr QSize usualSize{860, 600};
constexpr int summaryLines = 3;  // commands and paths in it can be longer than a small screen has room for
constexpr int commandLines = 4;
constexpr int keyWidth = 210;
constexpr int fateWidth = 130;
constexpr int meaningWidth = 330;

constexpr int mostProblems = 3;  ///< that are shown; the Problems panel has all

/// Errors first.
QString problemsText(std::vector<ProjectProblem> problems) {
    putErrorsFirst(problems);
    QStringList lines;
    for (const ProjectProblem& problem : problems)
        if (lines.size() < mostProblems)
            lines +=
                problem.severity == Severity::Error
                    ? ImportDialog::tr("To mend before it runs: %1").arg(sentenceText(problem.asSentence()))
                    : sentenceText(problem.asSentence());
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

ImportDialog::ImportDialog(QWidget* parent)
    : QDialog(parent),
      m_config(new PathEdit(PathEdit::Count::One, this)),
      m_command(new QPlainTextEdit(this)),
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
    return sources;
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
        text = readFile(expandTilde(m_config->text().toStdString()));
        return true;
    } catch (const Error&) {
        m_summary->setText(Trouble::ofCurrentException().text());
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
    m_imported = importMaxDiffusion(text, chosen.empty() ? command.config : chosen, command.words);
    std::ranges::move(missingModelProblems(m_imported.project), std::back_inserter(m_imported.problems));
    m_report->setKeys(m_imported.keys);
    QStringList sentences{importSummary(m_imported), problemsText(m_imported.problems)};
    sentences.removeAll(QString());
    m_summary->setText(sentences.join(QLatin1Char('\n')));
    m_open->setEnabled(std::ranges::any_of(m_imported.keys, [](const ImportedKey& key) {
        return key.fate == ImportFate::Taken || key.fate == ImportFate::Translated;
    }));
}

}  // namespace meshreel
