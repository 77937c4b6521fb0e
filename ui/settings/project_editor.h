// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;

namespace meshreel {

class KeyHelp;
class KeyRow;
class ProjectDocument;
struct ModelFamily;
struct ProjectKey;

/// The form of a project, made from the table of project keys: a block per section, a row per key. Illegal
/// values are explained below their fields. Rows are chosen by level, by what the model can be asked for, by
/// whether they were changed, and by searching.
class ProjectEditor : public QWidget {
    Q_OBJECT

  public:
    explicit ProjectEditor(ProjectDocument& document, QWidget* parent = nullptr);

    /// The row of a key; null for a name that is not in the table.
    [[nodiscard]] KeyRow* row(const QString& keyName) const;

    [[nodiscard]] bool showsAdvanced() const;
    void setShowsAdvanced(bool shows);

    /// Hides inputs and settings of tasks that the project's model does not do. Null: a
    /// model that cannot be read, which may do anything.
    void setFamily(const ModelFamily* family);

    /// Shows the row until something else is searched or filtered, and gives it the focus.
    void goTo(const QString& keyName);
    void focusPrompt();
    void focusSearch();
    [[nodiscard]] QLineEdit& search() const { return *m_search; }

  signals:
    void referenceRequested(const QString& keyName);

  protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Section {
        QWidget* block;
        std::vector<KeyRow*> rows;
    };

    QWidget* makeHeader();
    QWidget* makeForm();
    void showFiltered();
    void addRow(Section& section, KeyRow* row);
    void alignTitles();
    void refresh();
    void updateVisibility();
    /// The text that resetting the key brings back.
    [[nodiscard]] QString standardText(const ProjectKey& key) const;
    [[nodiscard]] bool isWanted(const KeyRow& row) const;
    [[nodiscard]] bool mayBeRead(const ProjectKey& key) const;
    template <typename Act>
    void forEachRow(const Act& act) const;

    ProjectDocument& m_document;
    std::vector<Section> m_sections;
    QLineEdit* m_search;
    QToolButton* m_changedOnly;
    QCheckBox* m_advanced;
    QScrollArea* m_scroll;
    QLabel* m_nothing;
    KeyHelp* m_help;
    const KeyRow* m_revealed = nullptr;          ///< shown although no filter asks for it
    std::optional<const ModelFamily*> m_family;  ///< none: not said yet
};

}  // namespace meshreel
