// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/add_button.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QInputDialog>
#include <QMenu>
#include <QPlainTextEdit>
#include <utility>

#include "engine/runs/run_history.h"
#include "ui/theme/icons.h"

namespace meshreel {

namespace {

/// Stays open, with what was pasted, until that is taken.
class PasteDialog : public QInputDialog {
  public:
    PasteDialog(const AddButton::TakePasted& take, QWidget* parent) : QInputDialog(parent), m_take(take) {}

    void done(int result) override {
        if (result == Accepted && !m_take(textValue()))
            return;
        QInputDialog::done(result);
    }

  private:
    const AddButton::TakePasted& m_take;
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
    dialog.setLabelText(tr("TIMING SUMMARY blocks, with the text around them if you like:"));
    dialog.setOption(QInputDialog::UsePlainTextEditForTextInput);
    dialog.setTextValue(copied.contains(QLatin1String("TIMING SUMMARY")) ? copied : QString());
    auto* text = dialog.findChild<QPlainTextEdit*>();
    text->setAccessibleName(dialog.labelText());
    text->setTabChangesFocus(true);
    dialog.exec();
}

}  // namespace meshreel
