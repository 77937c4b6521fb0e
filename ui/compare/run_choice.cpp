// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/run_choice.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QInputDialog>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/runs/records/run_record.h"
#include "engine/runs/run_history.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/lane_chart.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/accessibility.h"

namespace meshreel {

namespace {

/// Stays open, with what was pasted, until that is taken.
class PasteDialog : public QInputDialog {
  public:
    PasteDialog(const AddButton::TakePasted& take, QWidget* parent) : QInputDialog(parent), m_take(take) {}

    /// The question, below which stands why a text was not taken.
    void ask(const QString& question) {
        m_question = question;
        setLabelText(question);
    }

    void done(int result) override {
        if (result == Accepted)
            if (const QString refusal = m_take(textValue()); !refusal.isEmpty()) {
                setLabelText(m_question + QLatin1Char('\n') + refusal);
                return;
            }
        QInputDialog::done(result);
    }

  private:
    const AddButton::TakePasted& m_take;
    QString m_question;
};

}  // namespace

AddButton::AddButton(TakePasted takePasted, QWidget* parent)
    : QToolButton(parent), m_takePasted(std::move(takePasted)) {
    auto* menu = new QMenu(this);
    menu->setToolTipsVisible(true);
    menu->addAction(themedIcon(QStringLiteral("use-project")), tr("The open project"), this,
                    &AddButton::openProjectRequested);
    menu->addAction(themedIcon(QStringLiteral("document-open")), tr("Project files…"), this,
                    &AddButton::askForProjects);
    menu->addAction(themedIcon(QStringLiteral("folder")), tr("Run folder…"), this, &AddButton::askForRun);
    QAction* paste = menu->addAction(themedIcon(QStringLiteral("paste")), tr("Pasted timings…"), this,
                                     &AddButton::askForPaste);
    paste->setObjectName(QStringLiteral("paste"));
    paste->setToolTip(tr("Compare with a TIMING SUMMARY block copied from elsewhere"));
    setMenu(menu);
    setPopupMode(QToolButton::InstantPopup);
    setIcon(themedIcon(QStringLiteral("add")));
    setText(tr("Add"));
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setToolTip(
        tr("Compare with further runs, projects or timings; runs and project files can be dropped here "
           "too"));
}

void AddButton::askForProjects() {
    const QStringList files = QFileDialog::getOpenFileNames(this, tr("Compare with projects"), QString(),
                                                            tr("Projects (*.yaml *.yml)"));
    if (!files.isEmpty())
        emit chosen(files);
}

void AddButton::askForRun() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Compare with a run folder"),
                                                             QString::fromStdString(runsFolder().string()));
    if (!folder.isEmpty())
        emit chosen({folder});
}

void AddButton::askForPaste() {
    const QString copied = QGuiApplication::clipboard()->text();
    PasteDialog dialog(m_takePasted, this);
    dialog.setWindowTitle(tr("Paste timings"));
    dialog.ask(tr("TIMING SUMMARY blocks, with the text around them if you like:"));
    dialog.setOption(QInputDialog::UsePlainTextEditForTextInput);
    dialog.setTextValue(copied.contains(QLatin1String("TIMING SUMMARY")) ? copied : QString());
    auto* text = dialog.findChild<QPlainTextEdit*>();
    text->setAccessibleName(dialog.labelText());
    text->setTabChangesFocus(true);
    dialog.exec();
}

namespace {

using Groups = std::vector<std::vector<std::size_t>>;

Groups together(const std::vector<RunRecord>& runs) {
    Groups groups(1);
    groups.front().resize(runs.size());
    std::iota(groups.front().begin(), groups.front().end(), std::size_t{0});
    return groups;
}

Groups oneByOne(const std::vector<RunRecord>& runs) {
    Groups groups;
    for (std::size_t run = 0; run < runs.size(); ++run)
        if (hasLanes(runs[run]))
            groups.push_back({run});
    return groups;
}

Groups besideTheirTiles(const std::vector<RunRecord>& runs) {
    Groups groups;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        if (runs[run].tiles.empty() && !runs[run].warmStepSeconds())
            continue;
        const auto found = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& group) {
            return differInTilesOnly(runs[group.front()], runs[run]);
        });
        if (found == groups.end())
            groups.push_back({run});
        else
            found->push_back(run);
    }
    return groups;
}

Groups groupsFor(ChartKind kind, const std::vector<RunRecord>& runs) {
    switch (kind) {
        case ChartKind::Lanes:
            return oneByOne(runs);
        case ChartKind::Tiles:
            return besideTheirTiles(runs);
        default:
            return together(runs);
    }
}

}  // namespace

RunChoice::RunChoice(QWidget* parent) : QComboBox(parent) {
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    nameControl(*this, tr("Runs that the chart shows"));
    connect(this, &QComboBox::activated, this, &RunChoice::take);
}

void RunChoice::offer(ChartKind kind, const std::vector<RunRecord>& runs) {
    const QSignalBlocker blocker(this);
    m_runs = runs;
    m_groups = groupsFor(kind, runs);
    clear();
    QStringList names;
    for (const RunRecord& run : withShortNames(runs))
        names += QString::fromStdString(run.name);
    const QFontMetricsF letters(font());
    const QStringList shortened = shortenedNames(names, letters, usualNameRoom(letters));
    for (const Group& group : m_groups) {
        const auto first = static_cast<qsizetype>(group.front());
        const auto others = static_cast<int>(group.size()) - 1;
        addItem(others == 0 ? shortened[first] : tr("%1 and %n more", nullptr, others).arg(shortened[first]));
        QStringList whole;
        for (const std::size_t run : group)
            whole += QString::fromStdString(runs[run].name);
        setItemData(count() - 1, asPlainText(whole.join(QLatin1Char('\n'))), Qt::ToolTipRole);
    }
    setCurrentIndex(m_groups.empty() ? -1 : groupOf(m_preferred));
    setToolTip(currentData(Qt::ToolTipRole).toString());
    setVisible(m_groups.size() > 1);
}

std::vector<RunRecord> RunChoice::shown() const {
    std::vector<RunRecord> shown;
    if (currentIndex() >= 0)
        for (const std::size_t run : m_groups[static_cast<std::size_t>(currentIndex())])
            shown.push_back(m_runs[run]);
    return shown;
}

void RunChoice::prefer(const std::string& name) {
    m_preferred = name;
    if (m_groups.size() < 2 || groupOf(name) == currentIndex())
        return;
    setCurrentIndex(groupOf(name));
    emit chosen();
}

void RunChoice::take(int index) {
    prefer(m_runs[m_groups[static_cast<std::size_t>(index)].front()].name);
    emit chosen();
}

int RunChoice::groupOf(const std::string& name) const {
    const auto found = std::ranges::find_if(m_groups, [&](const Group& group) {
        return std::ranges::any_of(group, [&](std::size_t run) { return m_runs[run].name == name; });
    });
    return found == m_groups.end() ? 0 : static_cast<int>(found - m_groups.begin());
}

}  // namespace meshreel

#include "moc_run_choice.cpp"
