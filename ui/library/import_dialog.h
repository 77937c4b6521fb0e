// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QDialog>
#include <QString>
#include <vector>

#include "engine/project/maxdiffusion_import.h"

class QComboBox;
class QPlainTextEdit;
class QPushButton;
class QTableView;

namespace meshreel {

class ClampedText;
class PathEdit;

/// Returns a command line of MaxDiffusion as it is pasted from a terminal or a script. Words as a shell
/// separates them: quotes hold them together, a backslash at the end of a line continues with the next.
MaxDiffusionCommand readPastedCommand(const QString& text);

/// What became of every key of an imported config, a row each: refused ones first, then those that were
/// ignored, translated and taken.
class ImportReportModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Key, Fate, Meaning, Place, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setKeys(std::vector<ImportedKey> keys);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    std::vector<ImportedKey> m_keys;
};

/// "3 taken, 2 translated, 40 ignored, 1 refused"; what there is none of is left out.
QString importSummary(const MaxDiffusionImport& imported);

/// Asks for a MaxDiffusion config, a command line or both, and shows what becomes of every key while they are
/// chosen and typed.
class ImportDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ImportDialog(QWidget* parent = nullptr);

    void setConfig(const QString& file);
    void setCommand(const QString& text);

    [[nodiscard]] const MaxDiffusionImport& imported() const { return m_imported; }
    /// Returns the config's name without its ending, or a word for a command line.
    [[nodiscard]] QString origin() const;
    [[nodiscard]] QString summary() const;
    /// Takes this model, whatever config and command say; empty: theirs.
    void chooseModel(const QString& model);
    /// Returns whether a model has to be chosen before the project can be opened: neither config nor command
    /// names it.
    [[nodiscard]] bool asksForModel() const;

  private:
    QWidget* makeSources();
    void fillModels();
    void showModel();
    void setUpReport();
    void chooseConfig();
    void refresh();
    /// Reads its text; sets m_summary to a sentence and returns false when it cannot be read.
    [[nodiscard]] bool readConfig(std::string& text);

    PathEdit* m_config;
    QPlainTextEdit* m_command;
    QComboBox* m_model;
    QString m_chosenModel;
    ImportReportModel* m_report;
    QTableView* m_table;
    ClampedText* m_summary;
    QPushButton* m_open;
    MaxDiffusionImport m_imported;
};

}  // namespace meshreel
