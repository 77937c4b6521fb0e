// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QThreadPool>
#include <QWidget>
#include <filesystem>
#include <vector>

class QAction;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QTreeView;

namespace meshreel {

class EmptyState;
class ProjectDocument;

/// A prompt that is kept to be used again. One that holds `styleMark` is a style: it is put around others.
struct KeptPrompt {
    QString name;
    QString tags;  ///< words
    QString prompt;
    QString negative;  ///< what the video must not show

    [[nodiscard]] bool isStyle() const;
    friend bool operator==(const KeptPrompt&, const KeptPrompt&) = default;
};

/// Returns the prompt that using a kept one makes of the prompt there is: the kept one, or the kept style
/// around it.
QString promptWith(const KeptPrompt& kept, const QString& prompt);

/// Prompts by name, written to a file after every change: the old file or the complete new one.
class PromptLibrary : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, Tags, Prompt, Negative, ColumnCount };
    enum Role {
        SearchRole = Qt::UserRole,  ///< all words of a row
    };

    /// Reads the file if there is one. Sets a damaged file aside, and copies one with entries that are not
    /// prompts; remark() then says so.
    explicit PromptLibrary(std::filesystem::path file, QObject* parent = nullptr);
    /// Waits until the last change is on disk.
    ~PromptLibrary() override;

    [[nodiscard]] const QString& remark() const { return m_remark; }
    [[nodiscard]] const KeptPrompt& at(int row) const { return m_prompts[static_cast<std::size_t>(row)]; }
    /// Returns its row.
    int add(KeptPrompt prompt);
    void remove(int row);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

  signals:
    void changed();
    /// The file could not be written: changes are only in this window.
    void keepingFailed(const QString& sentence);

  private:
    void read();
    void keep();

    std::filesystem::path m_file;
    std::vector<KeptPrompt> m_prompts;
    QString m_remark;
    QThreadPool m_writer;  ///< a single thread: a busy disk must not hold up the window
};

/// The kept prompts: searched, edited in place, kept from the project and used for it.
class PromptPanel : public QWidget {
    Q_OBJECT

  public:
    PromptPanel(PromptLibrary& library, ProjectDocument& document, QWidget* parent = nullptr);

    struct Actions {
        QAction *keep, *use, *remove, *rewrite;
    };
    [[nodiscard]] const Actions& actions() const { return m_actions; }
    [[nodiscard]] QTreeView& table() const { return *m_table; }
    [[nodiscard]] QLineEdit& search() const { return *m_search; }

  private:
    void makeActions();
    QWidget* makeTools();
    void setUpTable();
    void keep();
    void use();
    void remove();
    /// Asks the prompt helper, in a dialog.
    void rewrite();
    void refresh();
    /// Returns the row in the library; -1 for none.
    [[nodiscard]] int currentRow() const;

    PromptLibrary& m_library;
    ProjectDocument& m_document;
    QSortFilterProxyModel* m_shown;
    QLineEdit* m_search;
    QTreeView* m_table;
    EmptyState* m_empty;
    QPushButton* m_keepFirst = nullptr;
    Actions m_actions{};
};

}  // namespace meshreel
