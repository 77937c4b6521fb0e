// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QCheckBox;
class QScrollArea;

namespace meshreel {

class KeyRow;
class ProjectDocument;

/// The form of a project, made from the table of project keys: a block per section, a row per key. Illegal
/// values are explained below their fields.
class ProjectEditor : public QWidget {
    Q_OBJECT

  public:
    explicit ProjectEditor(ProjectDocument& document, QWidget* parent = nullptr);

    /// The row of a key; null for a name that is not in the table.
    [[nodiscard]] KeyRow* row(const QString& keyName) const;

    [[nodiscard]] bool showsAdvanced() const;
    void setShowsAdvanced(bool shows);

  protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Section {
        QWidget* block;
        std::vector<KeyRow*> rows;
    };

    QWidget* makeForm();
    void addRow(Section& section, KeyRow* row);
    void refresh();
    void updateVisibility();

    ProjectDocument& m_document;
    std::vector<Section> m_sections;
    QScrollArea* m_scroll;
    QCheckBox* m_advanced;
};

}  // namespace meshreel
