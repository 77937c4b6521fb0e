// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "engine/project/maxdiffusion_import.h"

class QPlainTextEdit;
class QPushButton;
class QTableView;

namespace meshreel {

class ClampedText;
class ImportReportModel;
class PathEdit;

/// Asks for a MaxDiffusion config, a command line or both, and tells what becomes of every key while they are
/// chosen and typed.
class ImportDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ImportDialog(QWidget* parent = nullptr);

    void setConfig(const QString& file);
    void setCommand(const QString& text);

    [[nodiscard]] const MaxDiffusionImport& imported() const { return m_imported; }
    /// The config's name without its ending, or a word for a command line.
    [[nodiscard]] QString origin() const;
    [[nodiscard]] QString summary() const;

  private:
    QWidget* makeSources();
    void setUpReport();
    void chooseConfig();
    void refresh();
    /// Its text; a sentence in m_summary and nothing where it cannot be read.
    [[nodiscard]] bool readConfig(std::string& text);

    PathEdit* m_config;
    QPlainTextEdit* m_command;
    ImportReportModel* m_report;
    QTableView* m_table;
    ClampedText* m_summary;
    QPushButton* m_open;
    MaxDiffusionImport m_imported;
};

}  // namespace meshreel
