// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <vector>

#include "ui/queue/setting_grid.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace meshreel {

/// Asks for up to three settings with several values each, and tells what the grid of them comes to.
class GridDialog : public QDialog {
    Q_OBJECT

  public:
    explicit GridDialog(Project base, QWidget* parent = nullptr);

    /// Chooses a setting and types its values, for row `row` counted from 0.
    void setAxis(int row, const ProjectKey& key, const QString& values);
    [[nodiscard]] const SettingGrid& grid() const { return m_grid; }
    [[nodiscard]] QString summary() const;

  private:
    struct Row {
        QComboBox* key;
        QPlainTextEdit* values;
    };

    QWidget* makeRows();
    void refresh();

    Project m_base;
    SettingGrid m_grid;
    std::vector<Row> m_rows;
    QLabel* m_summary;
    QPushButton* m_add = nullptr;
};

}  // namespace meshreel
