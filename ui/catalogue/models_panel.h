// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <filesystem>

#include "ui/catalogue/model_description.h"
#include "ui/controller/latest_only.h"

class QLabel;
class QPushButton;
class QTableView;
class QTextBrowser;

namespace meshreel {

class CatalogueModel;
class ProjectDocument;

/// The models of this machine, and what one of them is: parts, layers, number types, memory, and what else it
/// needs.
class ModelsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ModelsPanel(ProjectDocument& document, QWidget* parent = nullptr);

    /// Reads the catalogue on another thread; refreshed() or troubled() tell how it went. The panel does so
    /// itself when it is first seen.
    void refresh();
    /// Reads a model on another thread; described() tells when it is shown.
    void describe(int row);
    /// As one step that can be undone.
    void useInProject();

    [[nodiscard]] CatalogueModel& models() const { return *m_models; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] QString description() const;
    [[nodiscard]] QPushButton& useButton() const { return *m_use; }

  signals:
    void refreshed();
    void described();
    void troubled(const meshreel::Trouble& trouble);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    QWidget* makeList();
    QWidget* makeDescription();
    void showModel(const DescribedModel& model);
    void updateActions();

    ProjectDocument& m_document;
    CatalogueModel* m_models;
    QTableView* m_table;
    QTextBrowser* m_text;
    QPushButton* m_use;
    QPushButton* m_refresh;
    QLabel* m_folders;
    bool m_isRead = false;
    LatestOnly m_describing;
    Background m_background;
};

}  // namespace meshreel
